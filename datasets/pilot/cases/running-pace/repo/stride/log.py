"""The log book: a list of (duration, distance_km)."""

from stride.clock import shown
from stride.pace import pace


def best(runs):
    """The run with the quickest pace."""
    return min(runs, key=lambda run: pace(*run))


def describe(run):
    """A run in one line."""
    duration, distance_km = run
    return f"{distance_km} km in {shown(duration)} ({shown(pace(duration, distance_km))} per km)"


def weekly_distance(runs):
    """All kilometres together."""
    return sum(distance_km for _, distance_km in runs)
