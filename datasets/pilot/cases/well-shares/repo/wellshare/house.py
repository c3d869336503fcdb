"""Houses around the well."""

from dataclasses import dataclass


@dataclass(frozen=True)
class House:
    """A house and the shares that it holds."""

    name: str
    shares: int = 1


def all_shares(houses):
    """Shares of all houses together; ValueError if there are none."""
    total = sum(house.shares for house in houses)
    if total < 1:
        raise ValueError("nobody holds a share")
    return total
