"""Twins as source: what is exchanged for what, by hand, and what the exchanged must not show."""

import ast
import math
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.workspace.families import Surroundings, family
from tasks.workspace.twins import Unfit, Variant, candidates, combinations, expected_values, spare, written

NOTHING = Surroundings(numbers=frozenset(), words=frozenset(), inputs=())


def alone(member):
    """No container around a value."""
    del member
    return ()


def found(source, node="test_x.py::test_it"):
    return candidates(source, node, frozenset(), Counter())


def test_a_number_of_four_digits_varies_in_its_last():
    """Neither zero nor five ends it, and there are eight such digits: three bits."""
    made = family(4731, NOTHING, alone)
    assert tuple(str(value) for value in (4731, 4732, 4733, 4734, 4736, 4737, 4738, 4739)) == made.members
    assert made.bits == 3.0


def test_zeros_and_fives_at_the_end_stay():
    """The digit before them varies, so that no member is rounder than another."""
    assert all(member.endswith("5.0") for member in family(8115.0, NOTHING, alone).members)
    assert all(re.fullmatch(r"91[1-9]00", member) for member in family(91_700, NOTHING, alone).members)


@pytest.mark.parametrize(
    "value", [0, 0.0, None, "", "welcome", 1024, 65_535, 12_321, 777, 12_345, 2.3333333, 0.1428571, 7396, 25, 5]
)
def test_what_can_be_recognised_leaves_no_doubt(value):
    """Empty, famous, a square, a small fraction: 0 bits, by hand."""
    assert family(value, NOTHING, alone).bits == 0.0


@pytest.mark.parametrize(("value", "most"), [(True, 0.5), (3, 1.0), (42, 1.0), (319, 2.0), (4731, 3.0), (48_217, 4.0)])
def test_bits_are_counted_down_for_short_values(value, most):
    """The declared rule, value by value."""
    assert family(value, NOTHING, alone).bits == most


@pytest.mark.parametrize(("inputs", "value"), [((1289, 3458), 4747), ((61, 79), 4819), ((9, 40_000), 40_009)])
def test_what_one_operation_makes_of_the_inputs_leaves_no_doubt(inputs, value):
    """A sum and a product are told from their neighbours by trying."""
    around = Surroundings(numbers=frozenset(), words=frozenset(), inputs=tuple(map(Fraction, inputs)))
    assert family(value, around, alone).bits == 0.0


def test_a_number_that_stands_elsewhere_is_exchanged_only_for_such():
    """Otherwise looking it up would tell it apart."""
    around = Surroundings(numbers=frozenset({Decimal(4731), Decimal(4738)}), words=frozenset(), inputs=())
    assert family(4731, around, alone).members == ("4731", "4738")
    assert family(4732, around, alone).members == tuple(map(str, (4732, 4733, 4734, 4736, 4737, 4739)))


NUMBERS = st.one_of(
    st.integers(0, 10**9), st.decimals(0, 10_000, places=3).map(float), st.integers(0, 10**6).map(lambda n: n / 8)
)


@settings(deadline=None)
@given(value=NUMBERS, numbers=st.frozensets(st.integers(0, 200).map(Decimal)), inputs=st.lists(st.integers(0, 300)))
def test_from_every_member_the_same_family_follows(value, numbers, inputs):
    """Nothing about a family says from which of its members it was made."""
    around = Surroundings(numbers=numbers, words=frozenset(), inputs=tuple(map(Fraction, sorted(set(inputs)))))
    made = family(value, around, alone)
    assert {made} == {family(ast.literal_eval(member), around, alone) for member in made.members} or not made.members
    assert repr(value) in made.members or not made.members
    assert made.bits <= math.log2(max(1, len(made.members)))


WORDS = ["anna", "berta", "carla", "dora", "emil", "Fritz"]


@settings(deadline=None)
@given(value=st.sampled_from(WORDS), words=st.frozensets(st.sampled_from(WORDS)))
def test_from_every_word_the_same_family_follows(value, words):
    """As for numbers; a word that stands nowhere else has none, and a family of words is worth one bit."""
    around = Surroundings(numbers=frozenset(), words=words, inputs=())
    made = family(value, around, alone)
    assert {made} == {family(ast.literal_eval(member), around, alone) for member in made.members} or not made.members
    assert made.bits == (1.0 if made.members else 0.0)


TWO = """
def test_it():  # the original
    assert f(1) == 4731
    assert g(2) == [9138, "x"]
    assert h(3)
"""


def copies(source, most=64):
    made = found(source)
    chosen, combined = combinations(made.sites, most)
    return made, chosen, [(), *combined]


def text_of(source, changes):
    return written(source, [Variant("test_x.py::test_it", None, changes, "test_name")])


def test_every_value_of_a_site_stands_as_often_as_any_other():
    """8 times 8 copies: no majority, and each pair once."""
    _, chosen, all_changes = copies(TWO)
    texts = [text_of(TWO, changes) for changes in all_changes]
    firsts = Counter(re.search(r"== (\d+)", text)[1] for text in texts)
    seconds = Counter(re.search(r"\[(\d+)", text)[1] for text in texts)
    assert (len(texts), len(set(texts)), len(chosen)) == (64, 64, 2)
    assert set(firsts.values()) == set(seconds.values()) == {8}
    assert {"4731", "4739"} <= set(firsts)


def test_a_spare_does_not_show_what_varies():
    """An expectation without a site gets a twin in which the others expect nothing."""
    made, chosen, _ = copies(TWO)
    varied = frozenset(number for site in chosen for number in site.expectations)
    assert text_of(TWO, spare(made, 2, 0, varied)) == "def test_name():\n    f(1)\n    g(2)\n    assert not h(3)\n"


def test_equal_values_are_one_site():
    """Were they changed apart, the rest would show what they were."""
    _, chosen, all_changes = copies("def test_it():\n    assert f(1) == 4731\n    assert g(1) == 4731\n")
    assert len(chosen) == 1
    assert all(text_of("def test_it(): pass\n", ()) and len(changes) in {0, 2} for changes in all_changes)


def test_a_value_that_follows_from_two_others_is_no_site():
    """Net and tax make the total; by hand, the total alone is a site, and net and tax alone are two."""
    total, parts = "    assert gross() == 58_613\n", "    assert net() == 49_272\n    assert tax() == 9_341\n"
    for body, members in ((total, 1), (parts, 2), (parts + total, 0)):
        assert members == len(found(f"def test_it():\n{body}").sites)


def test_a_value_that_another_test_expects_is_no_site():
    """That test would tell it."""
    source = TWO + "def test_other():\n    assert k() == 9138\n"
    others = expected_values(source, ["test_x.py::test_other"])[0]
    sites = candidates(source, "test_x.py::test_it", frozenset(), others).sites
    assert [site.members[0] for site in sites] == ["4731"]


FORMS = {
    "assert f() == 4731": "assert f() == 4732",
    "assert 4731 == f()": "assert 4732 == f()",
    "assert f() == -4731": "assert f() == -4732",
    "assert f() == approx(4731, abs=1)": "assert f() == approx(4732, abs=1)",
    "assert f() == Entry('d', 4731)": "assert f() == Entry('d', 4732)",
    "self.assertEqual(f(), 4731)": "self.assertEqual(f(), 4732)",
    "assert 'is 4731.' in f()": "assert 'is 4732.' in f()",
    "want = 4731\n    assert f(5) == want": "want = 4732\n    assert f(5) == want",
    "assert f() == {'a': [4731]}": "assert f() == {'a': [4732]}",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_equality_has_its_site(form):
    """The expected side changes; what is tested does not."""
    source = f"def test_it():\n    {form}\n"
    site = found(source).sites[0]
    assert f"def test_name():\n    {FORMS[form]}\n" == text_of(source, site.options[0])


SPARES = {
    "with raises(ValueError):\n        f()": "with raises(TypeError):\n        f()",
    "assert f() < 3": "assert not f() < 3",
    "assert f() == []": "assert f() == [None]",
    "assert f() is None": "assert not f() is None",
    "assert f() == 'word'": "assert f() == 'xord'",
    "with raises(KeyError, match='bad'):\n        f()": "with raises(KeyError, match='cad'):\n        f()",
}


@pytest.mark.parametrize("form", SPARES)
def test_what_has_no_family_has_a_spare(form):
    """Near enough to keep objects that equal everything from passing."""
    source = f"def test_it():\n    {form}\n"
    made = found(source)
    assert made.sites == ()
    assert f"def test_name():\n    {SPARES[form]}\n" == text_of(source, spare(made, 0, 0, frozenset()))


def test_a_list_keeps_what_is_remarkable_about_it():
    """[104, 105, 106] is evenly spaced, and so is no list with another number in it."""
    assert found("def test_it():\n    assert f() == [1104, 1105, 1106]\n").sites == ()


ROWS = """
import pytest
@pytest.mark.parametrize("x, want", [(1, 4731), pytest.param(2, 9138, id="two")])
def test_it(x, want):
    assert f(x) == want
"""


def test_a_row_of_parameters_has_twins_of_its_own():
    """The copy runs that row alone, under an id that says nothing."""
    made = found(ROWS, "test_x.py::test_it[two]")
    variant = Variant("test_x.py::test_it[two]", made.row, made.sites[0].options[0], "test_name")
    assert variant.id == "test_x.py::test_name[row]"
    assert "'x, want', [pytest.param(2, 9131)], ids=['row']" in written(ROWS, [variant])


@pytest.mark.parametrize(
    ("node", "why"),
    [
        ("test_x.py::test_absent", "its function is not written in its file"),
        ("test_x.py::TestIt::test_it", "its class is not written in its file"),
        ("test_x.py::test_it[3-4]", "its row of parameters cannot be told from its source"),
        ("test_x.py::test_it", "its row of parameters cannot be told from its source"),
    ],
)
def test_a_node_that_is_not_in_the_source_is_unfit(node, why):
    """And says why."""
    with pytest.raises(Unfit, match=why):
        found(ROWS, node)


MARKED = '''
"""Docstring."""
class TestIt:
    def test_it(self):
        """The original."""
        assert f(u"a") == u"total 4731"  # 4731
def test_neighbour(): assert f() == 9_138
'''


def test_copies_are_made_in_one_way():
    """No comment, prefix, place or name tells the original; other tests are not there at all."""
    node = "test_x.py::TestIt::test_it"
    site = found(MARKED, node).sites[0]
    text = written(MARKED, [Variant(node, None, site.options[0], "test_a"), Variant(node, None, (), "test_b")])
    _, first, second = text.split("    def test_")
    assert "neighbour" not in text
    assert "#" not in text
    assert first.replace("a(self)", "b(self)").replace("4732", "4731").rstrip() == second.rstrip()
