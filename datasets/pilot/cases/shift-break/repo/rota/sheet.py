"""Time sheets on paper."""

from rota.payroll import minutes_of


def hours_text(minutes):
    """90 minutes are written 1h30."""
    return f"{minutes // 60}h{minutes % 60:02d}"


def sheet(who, shifts):
    """A line with a name and the paid hours."""
    return f"{who} {hours_text(minutes_of(who, shifts))}"
