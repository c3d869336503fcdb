"""What reflection may read."""

import pytest

from tasks.scoring.feedback import MAX_OUTPUT_CHARS, Level, feedback
from tasks.scoring.repair_metric import score
from tests.scoring.making import CASE, CONTROL, REFUSED, SEALED, attempt, grading, rejection, report, validation

WRONG = attempt(validation())
CARD = score(WRONG, grading(SEALED.pass_to_pass), CASE, SEALED, CONTROL, split="train")


def test_level_score_is_the_number_alone() -> None:
    """Two lines: the heading and the score."""
    assert feedback(WRONG, CARD, "score").text == "# Feedback\nscore: 0.340000\n"


def test_level_components_hides_the_sealed_ones_behind_one_line() -> None:
    """Open components with reasons, then whether independent evaluation passed."""
    expected = (
        "# Feedback\nscore: 0.340000\n\n## Components\n"
        "- schema_valid: 1.00 (every field parsed)\n"
        "- patch_valid: 1.00 (every edit applied exactly once)\n"
        "- scope_ok: 1.00 (every edit is in scope)\n"
        "- parses: 1.00 (the edited source parses)\n"
        "- public_tests: 1.00 (2 of 2 public tests passed)\n"
        "- independent evaluation: not passed\n"
    )
    assert expected == feedback(WRONG, CARD, "components").text


def test_a_right_patch_is_told_so() -> None:
    """Independent evaluation: passed."""
    card = score(WRONG, grading(), CASE, SEALED, CONTROL, split="train")
    assert "- independent evaluation: passed\n" in feedback(WRONG, card, "components").text


def test_level_full_shows_the_failing_public_test_and_its_output() -> None:
    """Name, outcome, and the text in which pytest tells expected, actual and traceback."""
    failing = attempt(validation(("test_a.py::test_empty",)))
    text = feedback(failing, score(failing, None, CASE, SEALED, CONTROL, split="train"), "full").text
    expected = (
        "## Public tests\nsource: last validation\npassed: 1 of 2\n"
        "- test_a.py::test_total: failed\n\n### Output\nshown text\n"
    )
    assert expected in text


@pytest.mark.parametrize("one", [rejection(), rejection(validation()), attempt(REFUSED)])
def test_an_answer_that_left_the_code_alone_is_shown_the_reproduction(one: object) -> None:
    """A rejection or a refused edit: the failure that was reproduced, with its assertion."""
    text = feedback(one, CARD, "full").text  # type: ignore[arg-type]
    assert "source: reproduction on the untouched code\npassed: 1 of 2\n" in text
    assert "E  assert 3 == 6" in text


def test_refused_edits_are_named_with_their_reason() -> None:
    """The last section says which edit was refused, and why."""
    assert feedback(attempt(REFUSED), CARD, "full").text.endswith(
        "\n## Refused edits\n- invoice.py: search occurs 0 times\n"
    )


@pytest.mark.parametrize("level", ["score", "components", "full"])
def test_nothing_sealed_is_in_the_feedback(level: Level) -> None:
    """No sealed node, no count of sealed tests, no likeness to the control patch."""
    text = feedback(WRONG, CARD, level).text
    for secret in ("hidden", "3 of 6", "sealed", "control", "similarity", "fraction", "no_regression", "concern"):
        assert secret not in text


def test_long_output_keeps_its_head_and_its_tail() -> None:
    """The cut is announced, and both ends survive it."""
    long = report((), ("n",), shown="HEAD" + "x" * 3 * MAX_OUTPUT_CHARS + "TAIL")
    text = feedback(WRONG, CARD, "full", long).text
    assert "HEAD" in text
    assert "TAIL" in text
    assert len(text) < 2 * MAX_OUTPUT_CHARS


def test_a_killed_run_says_how_it_ended() -> None:
    """A timeout is no list of failures: nothing passed, and the text says why."""
    text = feedback(WRONG, CARD, "full", report(("n",), ("n",), ended="timeout")).text
    assert "passed: 0 of 1\nended: timeout\n" in text
