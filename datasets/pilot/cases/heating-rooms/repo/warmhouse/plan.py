"""What a plan says about an hour and about a day."""

HOURS_A_DAY = 24


def is_warm(plan, hour):
    """Whether an hour of the day is one of the warm ones."""
    return any(start <= hour < end for start, end in plan["warm"])


def temperature_at(plan, hour):
    """Degrees in an hour of the day."""
    return plan["target"] if is_warm(plan, hour) else plan["night"]


def degree_hours(plan, outside):
    """Degrees above the temperature outside, summed over the hours of a day."""
    return sum(max(0.0, temperature_at(plan, hour) - outside) for hour in range(HOURS_A_DAY))
