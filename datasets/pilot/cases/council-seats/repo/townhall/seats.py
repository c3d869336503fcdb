"""Largest remainder."""


def seats(votes, total_seats):
    """Seats for each list; `votes` maps names of lists to votes, in the order in which they were handed in."""
    cast = sum(votes.values())
    if cast == 0:
        return dict.fromkeys(votes, 0)
    cost = cast // total_seats
    won = {name: count // cost for name, count in votes.items()}
    rest = {name: count - won[name] * cost for name, count in votes.items()}
    left = max(0, total_seats - sum(won.values()))
    for name in sorted(votes, key=lambda name: (-rest[name], -votes[name]))[:left]:
        won[name] += 1
    return won


def majority(votes, total_seats):
    """The list with more than half of the seats, or an empty text."""
    for name, number in seats(votes, total_seats).items():
        if 2 * number > total_seats:
            return name
    return ""
