"""Points and the distance between them."""

import math
from dataclasses import dataclass

EARTH_RADIUS_KM = 6371.0


@dataclass(frozen=True)
class Point:
    """A place, in degrees."""

    lat: float
    lon: float


def great_circle_km(start, end):
    """Shortest way over the surface from start to end, in kilometres."""
    lat_a, lat_b = math.radians(start.lat), math.radians(end.lat)
    half_lat = (lat_b - lat_a) / 2
    half_lon = math.radians(end.lon - start.lon) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(chord))
