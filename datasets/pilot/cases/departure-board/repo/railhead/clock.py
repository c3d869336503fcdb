"""Minutes of the day."""


def hhmm(minute):
    """484 is 8:04."""
    return f"{minute // 60}:{minute % 60:02d}"
