"""The table."""

from fivesides.fixtures import clubs
from fivesides.record import Record


def records(fixtures):
    """A record for every club of the league."""
    found = {club: Record() for club in clubs(fixtures)}
    for home, away, score in fixtures:
        home_goals, away_goals = score
        found[home].note(home_goals, away_goals)
        found[away].note(away_goals, home_goals)
    return found


def goal_differences(fixtures):
    """Goal difference of every club."""
    return {club: record.difference() for club, record in records(fixtures).items()}


def table(fixtures):
    """Rows of club, matches, points and goal difference, the leader first."""
    rows = [(club, own.played, own.points, own.difference()) for club, own in records(fixtures).items()]
    return sorted(rows, key=lambda row: (-row[2], -row[3], row[0]))


def goals_a_match(fixtures):
    """Goals in a match on average, to a hundredth; 0.0 before the first one."""
    own = records(fixtures).values()
    matches = sum(record.played for record in own) / 2
    return round(sum(record.scored for record in own) / matches, 2) if matches else 0.0
