"""Bounding: by bytes and by lines, valid UTF-8, and an honest flag."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.workspace.bounding import Bounded, bound

TEXT = st.text("aé\u20ac\U0001f600 \n\r\x0b\x0c\x85\u2028", max_size=40)
BUDGET = st.integers(1, 30)


def test_both_budgets_hold_and_no_character_is_halved():
    """Nine bytes hold four letters of two bytes; the ninth would be half of one."""
    assert Bounded("é" * 4, truncated=True) == bound("é" * 100 + "\nx\ny\n", max_bytes=9, max_lines=2)
    assert Bounded("é" * 4, truncated=True) == bound("é" * 100, max_bytes=9, max_lines=2)


def test_lines_are_counted_even_where_bytes_would_do():
    """Two short lines of three, with their ends."""
    assert Bounded("x\ny\n", truncated=True) == bound("x\ny\nz", max_bytes=100, max_lines=2)


def test_what_fits_is_whole_and_not_flagged():
    """Both budgets met exactly."""
    assert Bounded("é\ny\n", truncated=False) == bound("é\ny\n", max_bytes=5, max_lines=2)


def test_two_thousand_bytes_and_thirty_lines_are_the_default():
    """As the contract has it."""
    assert Bounded("x" * 2_000, truncated=True) == bound("x" * 2_001)
    assert Bounded("\n" * 30, truncated=True) == bound("\n" * 31)


@pytest.mark.parametrize(("max_bytes", "max_lines"), [(0, 1), (1, 0), (-1, 1), (1, -5)])
def test_a_budget_below_one_is_refused(max_bytes, max_lines):
    """Nothing can be shown in no bytes or no lines."""
    with pytest.raises(ValueError, match="expected budgets of at least 1"):
        bound("x", max_bytes=max_bytes, max_lines=max_lines)


@given(TEXT, BUDGET, BUDGET)
def test_the_bound_is_a_prefix_within_both_budgets(text, max_bytes, max_lines):
    """And flagged exactly if something is missing; bounding it again changes nothing."""
    shown = bound(text, max_bytes=max_bytes, max_lines=max_lines)
    assert text.startswith(shown.text)
    assert shown.truncated == (shown.text != text)
    assert len(shown.text.encode()) <= max_bytes
    assert len(shown.text.splitlines()) <= max_lines
    assert Bounded(shown.text, truncated=False) == bound(shown.text, max_bytes=max_bytes, max_lines=max_lines)


def test_a_lone_surrogate_becomes_a_question_mark():
    """It has no UTF-8 form, and is no reason to fail."""
    assert Bounded("a?b", truncated=False) == bound("a\ud800b")
