"""The announcement."""

from townhall.seats import seats


def turnout(votes, spoilt, electorate):
    """Percent of those who may vote, with one decimal."""
    return f"{100 * (sum(votes.values()) + spoilt) / electorate:.1f} %"


def announcement(votes, total_seats):
    """A line for each list, most seats first; equal ones as they were handed in."""
    won = seats(votes, total_seats)
    return [f"{name}: {won[name]}" for name in sorted(won, key=lambda name: -won[name])]
