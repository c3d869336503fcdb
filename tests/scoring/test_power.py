"""Minimum detectable effects against published sample sizes, and the noise floor by hand."""

import pytest

from tasks.scoring.power import (
    NoiseFloor,
    design_sd,
    discordant_sd,
    fewest_groups,
    groups_needed,
    minimum_detectable_effect,
    noise_floor,
)
from tasks.scoring.rules_controls import REJECTION, RIGHT, synthetic_card

STILL = NoiseFloor(sd=0, cases=4, sessions=3, deterministic=True, statement="")


@pytest.mark.parametrize(("effect", "groups"), [(0.5, 34), (0.8, 15)])
def test_groups_needed_are_those_of_the_power_tables(effect: float, groups: int) -> None:
    """One-sample t test, two-sided .05, power .80: G*Power gives n = 34 for d = .5 and n = 15 for d = .8."""
    assert groups == groups_needed(effect, 1.0, alpha=0.05)


def test_the_detectable_effect_inverts_the_group_count() -> None:
    """34 groups see .5 standard deviations and 33 do not."""
    enough, short = (minimum_detectable_effect(n, 1.0, alpha=0.05) for n in (34, 33))
    assert enough <= 0.5 < short


@pytest.mark.parametrize(("looks", "expected"), [(1, 6), (2, 7), (4, 8)])
def test_fewest_groups_follow_from_two_to_the_minus_n(looks: int, expected: int) -> None:
    """1/64 <= .025, 1/128 <= .0125, 1/256 <= .00625."""
    assert expected == fewest_groups(0.05, looks)


def test_a_design_that_sign_flips_cannot_serve_sees_nothing() -> None:
    """Six groups over two looks: p is at least 1/64, the threshold is 1/80."""
    assert minimum_detectable_effect(6, 0.01, alpha=0.05, looks=2) == 1.0
    assert minimum_detectable_effect(7, 0.01, alpha=0.05, looks=2) < 1.0


def test_no_effect_below_one_grid_step_is_promised() -> None:
    """A mean of scores moves in steps; a quiet design cannot see half of one."""
    assert minimum_detectable_effect(8, 0.0, alpha=0.05, grid=0.04) == 0.04


def test_discordance_sets_the_spread() -> None:
    """A quarter of the cases moving by .64 spreads deltas by .32."""
    assert discordant_sd(0.25, 0.64) == pytest.approx(0.32)
    assert design_sd(STILL, 3, discordance=0.25, step=0.64) == pytest.approx(0.32)


def test_noise_between_sessions_adds_to_the_spread() -> None:
    """sqrt(.32**2 + 2 * .24**2 / 2) = .4."""
    noisy = STILL.model_copy(update={"sd": 0.24})
    assert design_sd(noisy, 2, discordance=0.25, step=0.64) == pytest.approx(0.4)


def test_groups_needed_for_no_effect_do_not_exist() -> None:
    """Zero, negative and tiny effects have no finite design."""
    assert [groups_needed(effect, 0.3, alpha=0.05) for effect in (0.0, -0.2, 1e-6)] == [None] * 3


def test_the_noise_floor_pools_variance_within_cases() -> None:
    """Totals (1, .36) and (1, 1): squares .2048 over 2 degrees of freedom, sd .32."""
    answers = [("a", RIGHT), ("a", REJECTION), ("b", RIGHT), ("b", RIGHT)]
    cards = [synthetic_card(case, "g", f"s{i}", "baseline", values) for i, (case, values) in enumerate(answers)]
    floor = noise_floor(cards)
    assert (floor.sd, floor.cases, floor.sessions, floor.deterministic) == (0.32, 2, 2, False)


def test_a_deterministic_program_is_said_to_show_zero_noise() -> None:
    """Zero noise is told together with what it does not mean."""
    floor = noise_floor([synthetic_card("a", "g", f"s{i}", "baseline", RIGHT) for i in range(3)])
    assert (floor.sd, floor.deterministic) == (0.0, True)
    assert "deterministic program shows zero noise" in floor.statement


def test_one_session_says_nothing_about_noise() -> None:
    """A single session is not a deterministic program."""
    floor = noise_floor([synthetic_card("a", "g", "s0", "baseline", RIGHT)])
    assert floor.deterministic is False
    assert "nothing is known" in floor.statement
