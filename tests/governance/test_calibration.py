"""Calibration: what has to be found, whether it is found, and what would find it."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from tasks.governance.calibration import aim, calibrated
from tasks.records.spec import Policy
from tests.governance.making import REACH


def test_a_sought_effect_has_to_be_found_above_the_bar() -> None:
    """A promotion needs the interval above the minimum effect, so that is the margin."""
    assert aim(Policy(minimum_effect=0.05, sought_effect=0.3)) == (0.3, 0.05)


def test_a_minimum_effect_alone_has_to_be_told_from_none() -> None:
    """No design puts an effect above itself; margin 0."""
    assert aim(Policy(minimum_effect=0.05)) == (0.05, 0.0)


@pytest.mark.parametrize(
    ("policy", "detectable", "able"),
    [
        (Policy(sought_effect=0.3), 0.3, True),
        (Policy(sought_effect=0.3), 0.301, False),
        (Policy(minimum_effect=0.25), 0.2, True),
        (Policy(minimum_effect=0.05), 0.2, False),
        (Policy(sought_effect=1.0), 1.0, False),
        (Policy(minimum_effect=0.0), 1.0, True),
        (Policy(rule="single", minimum_effect=0.05), 1.0, True),
    ],
    ids=["just", "just not", "told from none", "too fine", "finds nothing", "asks nothing", "estimates nothing"],
)
def test_a_design_is_able_when_what_it_finds_is_no_more_than_what_is_declared(
    policy: Policy, detectable: float, able: bool
) -> None:
    """1.0 means that the design finds nothing, so it never is enough; a rule without an effect needs none."""
    assert able == calibrated(policy, replace(REACH, detectable=detectable)).able


def test_what_is_missing_is_one_sentence_in_cases_groups_and_sessions() -> None:
    """6 cases in 4 groups; 30 groups of such sizes are 45 cases."""
    short = replace(REACH, detectable=0.4, cases=6, groups=4, groups_needed=30, sessions_needed=5)
    found = calibrated(Policy(sought_effect=0.3), short)
    assert (found.groups_needed, found.cases_needed, found.sessions_needed) == (30, 45, 5)
    assert found.statement == (
        "the design cannot detect sought_effect 0.3 above minimum_effect 0.05: 6 holdout cases in 4 groups over "
        "3 sessions find a true gain from 0.400 with 80% power. "
        "What would: 30 groups of such sizes (45 cases) or 5 sessions of these cases"
    )


def test_where_nothing_would_do_that_is_said() -> None:
    """Neither groups nor sessions."""
    found = calibrated(Policy(minimum_effect=0.001), replace(REACH, groups_needed=None))
    assert found.cases_needed is None
    assert "What would: no number of groups or sessions" in found.statement


def test_an_effect_at_the_bar_is_refused_as_a_sought_one() -> None:
    """At a true gain of the bar itself the interval lies above it one time in forty."""
    with pytest.raises(ValidationError, match=r"sought_effect 0\.05 must be above minimum_effect 0\.05"):
        Policy(minimum_effect=0.05, sought_effect=0.05)
