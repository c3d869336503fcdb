"""Evenings: a dictionary of team and points for each."""


def winners(evening):
    """Teams with most points of an evening; nobody wins an evening without teams."""
    best = max(evening.values(), default=0)
    return [team for team, points in evening.items() if points == best]


def points_of(team, evenings):
    """Points over all evenings; a team that stayed away has none for it."""
    return sum(evening.get(team, 0) for evening in evenings)


def wins_of(team, evenings):
    """Evenings that a team has won."""
    return sum(1 for evening in evenings if team in winners(evening))
