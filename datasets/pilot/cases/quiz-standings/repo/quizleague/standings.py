"""The table."""

from collections import namedtuple

from quizleague.evening import points_of, wins_of

Row = namedtuple("Row", "team points wins")


def rows(evenings):
    """A row for each team that was there at least once, the best first."""
    teams = {team for evening in evenings for team in evening}
    found = [Row(team, points_of(team, evenings), wins_of(team, evenings)) for team in teams]
    return sorted(found, key=lambda row: (row.points, row.wins, row.team), reverse=True)


def standings(evenings):
    """Names of the teams, the best first."""
    return [row.team for row in rows(evenings)]


def places(evenings):
    """Pairs of place and team."""
    placed = []
    place, before = 0, None
    for number, row in enumerate(rows(evenings), start=1):
        if (row.points, row.wins) != before:
            place, before = number, (row.points, row.wins)
        placed.append((place, row.team))
    return placed
