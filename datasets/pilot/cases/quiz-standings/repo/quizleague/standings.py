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
    for number, row in enumerate(rows(evenings), start=1):
        level = bool(placed) and (row.points, row.wins) == before
        place = placed[-1][0] if level else number
        placed.append((place, row.team))
        before = (row.points, row.wins)
    return placed
