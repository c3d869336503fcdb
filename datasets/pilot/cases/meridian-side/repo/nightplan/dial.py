"""Hours and minutes as they stand on a dial."""

DAY = 1440


def minutes(reading):
    """'6:30' is 390 minutes."""
    hours, rest = reading.split(":")
    return (int(hours) * 60 + int(rest)) % DAY


def reading(total):
    """390 minutes are '6:30'; what is beyond a day starts again at 0:00."""
    hours, rest = divmod(total % DAY, 60)
    return f"{hours}:{rest:02d}"
