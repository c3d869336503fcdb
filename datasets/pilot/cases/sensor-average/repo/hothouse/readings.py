"""Lines from the sensors."""

from collections import namedtuple

Reading = namedtuple("Reading", "bed minute humidity")


def parse(line):
    """Turn 'ferns;615;71.5' into a Reading."""
    bed, minute, humidity = line.strip().split(";")
    return Reading(bed, int(minute), float(humidity))


def of_bed(readings, bed):
    """Humidity values of one bed, oldest first."""
    mine = [r for r in readings if r.bed == bed]
    return [r.humidity for r in sorted(mine, key=lambda r: r.minute)]
