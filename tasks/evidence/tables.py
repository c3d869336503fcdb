"""Tables: scorecards and failures as tidy pandas frames, one row a component.

Takes    Marks of any number of passes.
Gives    `scorecards_frame`: one row a component and one `total` row a scorecard; `failures_frame`: one row a failure.
         Failures have a frame of their own, because they are no scores.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tasks.records.scorecard import Marks, Scorecard

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = ("case", "group", "split", "session", "arm", "component", "value", "weight", "reason")
FAILURE_COLUMNS = ("case", "group", "split", "session", "arm", "kind", "detail")
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


def _rows(card: Scorecard) -> Iterator[tuple[str | float, ...]]:
    place = (card.case_id, card.group, card.split, card.session, card.arm)
    for component in card.components:
        yield (*place, component.name, component.value, component.weight, component.reason)
    yield (*place, TOTAL, card.total, 1.0, f"weighted sum under {card.metric}")
