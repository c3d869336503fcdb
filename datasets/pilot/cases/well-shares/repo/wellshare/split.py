"""Who owes what."""

from wellshare.house import all_shares


def split(cents, houses):
    """Cents that each house owes of a bill, by name."""
    total = all_shares(houses)
    return {house.name: round(cents * house.shares / total) for house in houses}


def yearly(bills, houses):
    """Cents that each house owes for all bills of a year; each bill is split by itself."""
    owed = {house.name: 0 for house in houses}
    for cents in bills:
        for name, part in split(cents, houses).items():
            owed[name] += part
    return owed
