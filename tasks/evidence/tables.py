"""Tables: scorecards and failures as tidy pandas frames, one row a component, and scores by case.

Takes    Marks of any number of passes.
Gives    `scorecards_frame`: one row a component and one `total` row a scorecard; `failures_frame`: one row a failure.
         Failures have a frame of their own, because they are no scores. `paired_frame` and `case_rows`: one row a case.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tasks.evidence.metrics import DIGITS
from tasks.records.attempt import Arm
from tasks.records.scorecard import Marks, Scorecard

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = ("case", "group", "split", "session", "arm", "component", "value", "weight", "reason")
FAILURE_COLUMNS = ("case", "group", "split", "session", "arm", "kind", "detail")
PAIRED_COLUMNS = ("case", "group", "baseline", "candidate", "delta")
TOTAL = "total"


def scorecards_frame(*marks: Marks) -> "pd.DataFrame":
    """Columns SCORE_COLUMNS; `value` in [0, 1]; a `total` row has weight 1. Empty marks give an empty frame."""
    import pandas as pd

    rows = [row for mark in marks for card in mark.scorecards for row in _rows(card)]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS)).astype({"value": "float64", "weight": "float64"})


def failures_frame(*marks: Marks) -> "pd.DataFrame":
    """Columns FAILURE_COLUMNS."""
    import pandas as pd

    rows = [
        (failure.case_id, failure.group, failure.split, failure.session, failure.arm, failure.kind, failure.detail)
        for mark in marks
        for failure in mark.failures
    ]
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))


def paired_frame(marks: Marks) -> "pd.DataFrame":
    """Columns PAIRED_COLUMNS: a case's mean total of either arm, and candidate minus baseline; empty without both."""
    import pandas as pd

    rows = []
    for case, group in _cases(marks):
        before, after = (_mean_total(marks, case, arm) for arm in ("baseline", "candidate"))
        delta = None if before is None or after is None else round(after - before, DIGITS)
        rows.append((case, group, before, after, delta))
    kinds = dict.fromkeys(PAIRED_COLUMNS[2:], "float64")
    return pd.DataFrame(rows, columns=list(PAIRED_COLUMNS)).astype(kinds)


def case_rows(marks: Marks, arm: Arm) -> list[dict[str, str | int | float | None]]:
    """For every case its group, scored sessions, failures, and its mean total; None without a score."""
    return [
        {
            "case": case,
            "group": group,
            "scored": sum((card.case_id, card.arm) == (case, arm) for card in marks.scorecards),
            "failures": sum((failure.case_id, failure.arm) == (case, arm) for failure in marks.failures),
            "score": _mean_total(marks, case, arm),
        }
        for case, group in _cases(marks)
    ]


def _cases(marks: Marks) -> dict[tuple[str, str], None]:
    """Every case and its group, in the order in which they came."""
    scored = [(card.case_id, card.group) for card in marks.scorecards]
    return dict.fromkeys(scored + [(failure.case_id, failure.group) for failure in marks.failures])


def _mean_total(marks: Marks, case: str, arm: Arm) -> float | None:
    totals = [card.total for card in marks.scorecards if (card.case_id, card.arm) == (case, arm)]
    return round(sum(totals) / len(totals), DIGITS) if totals else None


def _rows(card: Scorecard) -> Iterator[tuple[str | float, ...]]:
    place = (card.case_id, card.group, card.split, card.session, card.arm)
    for component in card.components:
        yield (*place, component.name, component.value, component.weight, component.reason)
    yield (*place, TOTAL, card.total, 1.0, f"weighted sum under {card.metric}")
