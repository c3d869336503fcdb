"""Recommend: the isolation that counts is that of the evidence, not of the machine that recommends."""

import pytest

from tasks.recommend import tier_of
from tasks.records.attempt import Grading, TestReport
from tasks.records.stages import Paired


def paired_of(*tiers):
    reports = tuple(TestReport(tree="t", outcomes={}, ended="exit", shown="", tier=tier) for tier in tiers)
    grading = Grading(case_id="c", tree="t", reports=reports, agree=True)
    return Paired.model_construct(gradings=(grading,) if tiers else ())


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        (("bubblewrap", "bubblewrap"), "bubblewrap"),
        (("bubblewrap", "landlock"), "landlock"),
        (("none", "bubblewrap"), "none"),
        ((), "none"),
    ],
)
def test_the_weakest_tier_of_any_grading_counts(tiers, expected):
    """One grading outside of a sandbox, or no grading at all, is no isolation."""
    assert tier_of(paired_of(*tiers)) == expected
