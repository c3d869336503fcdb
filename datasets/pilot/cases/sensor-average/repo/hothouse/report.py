"""The evening report."""

from hothouse.figures import mean, share_above, swing
from hothouse.readings import of_bed

TOO_WET = 85.0


def bed_line(bed, readings):
    """One line about one bed."""
    values = of_bed(readings, bed)
    return f"{bed}: mean {mean(values):.1f}, swing {swing(values):.1f}"


def wet_beds(beds, readings):
    """Names of the beds that were too wet for more than half of the day."""
    return [bed for bed in beds if share_above(of_bed(readings, bed), TOO_WET) > 0.5]


def evening_report(beds, readings):
    """All beds, in the order given, one line each."""
    return "\n".join(bed_line(bed, readings) for bed in beds)
