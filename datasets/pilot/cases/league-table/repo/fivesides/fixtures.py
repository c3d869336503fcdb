"""Fixtures of a season."""

from typing import NamedTuple, Optional


class Fixture(NamedTuple):
    """A match of two clubs. The score is a pair, goals of the home club first."""

    home: str
    away: str
    score: Optional[tuple] = None


def clubs(fixtures):
    """All clubs of the league by name."""
    return sorted({club for fixture in fixtures for club in (fixture.home, fixture.away)})
