"""Do two vessels get in each other's way?"""


def overlap(planned, wanted):
    """True if both stays share some time."""
    return wanted.arrives <= planned.leaves and planned.arrives < wanted.leaves


def clashes(plan, wanted):
    """Vessels in the plan that are in the way of the wanted stay."""
    return [planned.vessel for planned in plan if overlap(planned, wanted)]
