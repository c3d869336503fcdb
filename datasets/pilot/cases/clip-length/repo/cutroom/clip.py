"""Clips."""


class Clip:
    """A piece of a reel."""

    def __init__(self, reel, first, last):
        if last < first:
            raise ValueError(f"a clip cannot end at {last} when it begins at {first}")
        self.reel = reel
        self.first = first
        self.last = last

    @property
    def frames(self):
        """How long it is."""
        return self.last - self.first


def read_clip(line):
    """'A 120-264' is a clip of reel A."""
    reel, span = line.split()
    first, last = span.split("-")
    return Clip(reel, int(first), int(last))
