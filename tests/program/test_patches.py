"""From a model's text to edits, a rejection, or a schema failure; never to an exception."""

import pytest

from tasks.program.patches import parse_patch


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "[1]",
        "{}",
        '[{"path": "a.py"',
        '[{"path": "a.py", "search": "x", "replace": "y", "root": "/"}]',
        '[{"path": "a.py", "search": "\\ud800", "replace": "y"}]',
        '[{"path": "\\udfff", "search": "x", "replace": "y"}]',
        '[{"path": "a.py", "search": "x", "replace": ' + "9" * 5000 + "}]",
        "[" * 100_000,
        "[" + ",".join(['{"path": "a.py", "search": "x", "replace": "y"}'] * 21) + "]",
        "REJECT:",
    ],
)
def test_what_is_neither_edits_nor_a_rejection_is_a_schema_failure(text):
    """Empty, cut, foreign, lone surrogates, enormous numbers, nesting bombs, too many edits, a reason that is none."""
    parsed = parse_patch(text)
    assert (parsed.edits, parsed.rejection) == ((), "")
    assert parsed.problem


def test_edits_are_read_with_or_without_a_fence():
    """A fence around the array is a habit of models and no fault."""
    plain = '[{"path": "a.py", "search": "x", "replace": "y"}]'
    assert parse_patch(f"```json\n{plain}\n```").edits == parse_patch(plain).edits
    assert parse_patch(plain).edits[0].body() == {"path": "a.py", "search": "x", "replace": "y", "action": "replace"}


def test_a_rejection_is_words():
    """Any case, any white space; the reason is kept."""
    assert parse_patch("  reject : no cause in the evidence\n").rejection == "no cause in the evidence"
