"""What a design sees, against exact enumeration and published power; and its laws."""

from dataclasses import replace
from math import comb, sqrt

import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from tasks.scoring.design import (
    Design,
    detectable_effect,
    group_sd,
    groups_for,
    power,
    sessions_for,
    sizes,
)

SINGLES = Design((1,) * 16, 0.05)


def enumerated(groups: int, effect: float, alpha: float, step: float = 0.64) -> float:
    """Power over single-case groups without noise: every count of gains and losses, both tests written out."""
    tilt = effect / step
    share = max(0.25, tilt)
    up, down, bar = (share + tilt) / 2, (share - tilt) / 2, stats.t.ppf(1 - alpha / 2, groups - 1)
    found = 0.0
    for gains in range(groups + 1):
        for losses in range(groups - gains + 1):
            mean = (gains - losses) / groups
            variance = ((gains + losses) / groups - mean**2) * groups / (groups - 1)
            flips = stats.binom.sf(gains - 1, gains + losses, 0.5)
            if mean > bar * sqrt(variance / groups) and flips <= alpha / 2:
                ways = comb(groups, gains) * comb(groups - gains, losses)
                found += ways * up**gains * down**losses * (1 - up - down) ** (groups - gains - losses)
    return found


@pytest.mark.parametrize(("groups", "alpha"), [(8, 0.05), (8, 0.025), (12, 0.05), (16, 0.05)])
@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5])
def test_power_of_single_cases_is_the_enumerated_one(groups: int, alpha: float, effect: float) -> None:
    """Three standard errors of 1,000 holdouts, .048 at most; above 11 groups the flips are a sample too."""
    expected = enumerated(groups, effect, alpha)
    assert expected == pytest.approx(power(Design((1,) * groups, alpha), effect), abs=0.048)


def test_the_t_formula_alone_would_promise_too_much() -> None:
    """16 single cases: the t test alone has 80% at .23, both tests together hardly more than half (enumerated .55)."""
    assert power(SINGLES, 0.23) < 0.6
    assert detectable_effect(SINGLES) > 0.27


def test_at_the_detectable_effect_power_is_four_in_five() -> None:
    """By exact enumeration, not by the draws that found it."""
    assert enumerated(16, detectable_effect(SINGLES), 0.05) == pytest.approx(0.8, abs=0.03)


def test_under_normal_noise_power_is_that_of_the_t_test() -> None:
    """statsmodels: 34 groups, effect of half a standard deviation, two-sided .05, power .81; the flips cost nothing."""
    noisy = Design((1,) * 34, 0.05, noise_sd=sqrt(0.5), step=0.5)  # every case moves by .5, and the rest is noise
    expected = TTestPower().power(0.5, 34, 0.05, alternative="two-sided")
    assert expected == pytest.approx(power(noisy, 0.5), abs=0.04)


def test_a_margin_raises_the_detectable_effect() -> None:
    """An interval that has to clear .05 needs more than one that has to clear 0, and nothing is promised below it."""
    plain, barred = (detectable_effect(replace(SINGLES, margin=margin)) for margin in (0.0, 0.1))
    assert plain < barred
    assert detectable_effect(replace(SINGLES, margin=0.64)) == 1.0


def test_noise_raises_the_detectable_effect_and_sessions_lower_it() -> None:
    """A/A noise of .5: three sessions see less than nine, and neither more than a still program."""
    quiet, nine, three = (
        detectable_effect(replace(SINGLES, noise_sd=sd, sessions=k)) for sd, k in ((0, 3), (0.5, 9), (0.5, 3))
    )
    assert quiet <= nine < three


def test_alike_cases_of_a_group_are_worth_one() -> None:
    """Pairs that always move together see what single cases see; independent ones see more."""
    pairs = Design((2,) * 16, 0.05)
    alike, alone = (detectable_effect(replace(pairs, intraclass=share)) for share in (1.0, 0.0))
    assert alike == pytest.approx(detectable_effect(SINGLES), abs=0.01)
    assert alone < alike


def test_the_sd_of_a_group_by_hand() -> None:
    """.64 * sqrt(.25) = .32 for one case; a pair at likeness .5 keeps three quarters of the variance; noise adds."""
    assert group_sd(SINGLES) == pytest.approx(0.32)
    assert group_sd(Design((2,) * 8, 0.05)) == pytest.approx(0.32 * sqrt(0.75))
    assert group_sd(replace(SINGLES, sessions=2, noise_sd=0.24)) == pytest.approx(0.4)


def test_too_few_groups_see_nothing() -> None:
    """Five groups: no sign flip is below .025, whatever is gained; none at all neither."""
    assert detectable_effect(Design((3,) * 5, 0.05)) == 1.0
    assert detectable_effect(Design((), 0.05)) == 1.0
    assert power(Design((3,) * 5, 0.05), 0.6) == 0.0


@pytest.mark.parametrize("effect", [0.2, 0.3, 0.5])
def test_groups_for_an_effect_invert_the_detectable_effect(effect: float) -> None:
    """The number suffices by enumeration, and one and a half of the precision less does not."""
    needed = groups_for(SINGLES, effect)
    assert needed is not None
    assert enumerated(needed, effect, 0.05) > 0.77
    assert enumerated(needed - 2, effect, 0.05) < 0.82


def test_no_groups_find_what_lies_within_the_margin() -> None:
    """An effect of exactly the margin stays below it half of the time, however many groups there are."""
    assert groups_for(replace(SINGLES, margin=0.05), 0.05) is None
    assert groups_for(SINGLES, 0.0) is None
    assert groups_for(Design((), 0.05), 0.5) is None


def test_small_effects_take_the_formula_of_the_t_test() -> None:
    """.02 at sd .32: (1.96 + .84)**2 * (.32 / .02)**2 is about 2,009."""
    assert groups_for(SINGLES, 0.02) == pytest.approx(2_009, abs=5)


def test_sessions_that_would_do_and_those_that_never_would() -> None:
    """Noise can be averaged away, the difference between cases cannot."""
    noisy = Design((1,) * 8, 0.05, noise_sd=0.6)
    needed = sessions_for(noisy, 0.6)
    assert needed is not None
    assert (
        detectable_effect(replace(noisy, sessions=needed))
        <= 0.6
        < detectable_effect(replace(noisy, sessions=needed - 1))
    )
    assert sessions_for(noisy, 0.4) is None


def test_sizes_are_counted_and_sorted() -> None:
    """Two cases of b, one of a."""
    assert sizes(["b", "a", "b"]) == (1, 2)
    assert Design((1, 2), 0.05).of_groups(5).group_sizes == (1, 2, 1, 2, 1)
