"""Routes: an ordered list of points that somebody walks."""


def legs(points):
    """Consecutive pairs of points."""
    return list(zip(points, points[1:]))


def route_km(points):
    """Length of a route, rounded to a tenth of a kilometre; a single point has none."""
    from footpath.distance import haversine_km  # here, so that legs() works without the maths

    return round(sum(haversine_km(start, end) for start, end in legs(points)), 1)


def hours(points, pace_kmh=4.0):
    """Walking time in hours, rounded to a tenth."""
    return round(route_km(points) / pace_kmh, 1)
