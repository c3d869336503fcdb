"""The letter to the teams."""

from quizleague.standings import places, rows


def letter(evenings):
    """One line a team, with place, points and evenings won."""
    return [
        f"{place}. {team} {row.points} ({row.wins})"
        for (place, team), row in zip(places(evenings), rows(evenings))
    ]
