# canary-pilot-a856da582533d52a2580d7011d9f73f9
from atelier.invoice import Invoice, next_number
from atelier.lines import Line
from atelier.paper import paper


def test_different_quantities_on_each_line():
    invoice = Invoice("B-0001", (Line("foot", 1_999, 2), Line("bulb", 350, 12), Line("switch", 700)))
    assert invoice.total() == 8_898


def test_a_line_of_no_pieces():
    invoice = Invoice("B-0002", (Line("sample", 9_900, 0), Line("hook", 120, 5)))
    assert invoice.total() == 600


def test_delivery_follows_the_sum():
    invoice = Invoice("B-0003", (Line("chandelier", 12_500, 4),))
    assert (invoice.total(), invoice.delivery(), invoice.due()) == (50_000, 0, 50_000)


def test_amount_due_on_paper():
    invoice = Invoice("B-0004", (Line("bulb", 350, 2), Line("fuse", 99, 1)))
    assert paper(invoice) == ["Invoice B-0004", "2 x bulb at 3.50", "1 x fuse at 0.99", "Due 25.99"]


def test_one_of_each():
    assert Invoice("C-0001", (Line("lamp", 20_000, 1), Line("lamp", 20_000, 1))).due() == 41_800


def test_an_invoice_without_lines():
    assert (Invoice("C-0002").total(), Invoice("C-0002").due()) == (0, 0)


def test_single_piece_on_paper():
    assert paper(Invoice("C-0003", (Line("globe", 61_005),))) == ["Invoice C-0003", "1 x globe at 610.05", "Due 610.05"]


def test_the_following_number():
    assert [next_number(number) for number in ("C-0009", "K-9999")] == ["C-0010", "K-10000"]
