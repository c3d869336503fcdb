"""Choosing a berth."""

from quayside.clash import clashes


def free_berths(harbour, wanted):
    """Names of the berths where the wanted stay fits; the harbour maps names to lists of stays."""
    return [name for name, plan in harbour.items() if not clashes(plan, wanted)]


def busy_hours(plan):
    """How many hours a berth is taken, all stays together."""
    return sum(stay.leaves - stay.arrives for stay in plan)
