"""Counting ballots."""


def count_ballots(ballots, lists):
    """Votes for each list, and how many ballots named none of them."""
    votes = dict.fromkeys(lists, 0)
    spoilt = 0
    for ballot in ballots:
        name = ballot.strip()
        if name in votes:
            votes[name] += 1
        else:
            spoilt += 1
    return votes, spoilt
