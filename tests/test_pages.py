"""The line under the holdout table: every figure with what it stands on."""

from flows.pages import figures
from tasks.records.scorecard import Marks
from tasks.records.verdict import Selection
from tasks.scoring.rules_controls import REJECTION, RIGHT, synthetic_card
from tasks.scoring.statistics import compare

GROUPS = {f"c{number}": f"g{number}" for number in range(8)}
CHOSEN = Selection(
    proposals=9,
    compared_on_dev=4,
    dev_best=0.84,
    dev_gain=0.48,
    shrunken_gain=0.41,
    holdout_gain=0.64,
    gap=-0.16,
    estimator="e",
)


def test_the_difference_stands_beside_its_cases_groups_sessions_and_selection():
    """Eight rejections that become right patches, after a search with nine proposals."""
    marks = Marks(
        scorecards=tuple(
            synthetic_card(case, group, session, arm, values)
            for case, group in GROUPS.items()
            for session in ("s0", "s1")
            for arm, values in (("baseline", REJECTION), ("candidate", RIGHT))
        )
    )
    made = compare(marks, GROUPS, list(GROUPS), sessions=2, alpha=0.05, looks=2)
    said = figures(made.model_copy(update={"selection": CHOSEN}))
    assert said[:4] == [
        "difference +0.640 [+0.640, +0.640] at 97.5%, over 8 cases in 8 groups, 2 sessions an arm",
        "Worse after Holm over 8 components: none",
        "McNemar mid-p 0.0039, told only: 8 of 8 cases gained, 0 lost",
        "Gain on dev +0.480, the best of 4 accepted of 9 proposals; shrunken +0.410, on the holdout +0.640",
    ]
    assert len(said) == 6  # and two cautions about variance that was not seen
