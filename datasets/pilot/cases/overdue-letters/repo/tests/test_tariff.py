from lendingdesk.tariff import fee


def test_days_of_grace():
    assert [fee("book", days) for days in (1, 3, 4, 10)] == [0, 0, 20, 140]
