"""Mountain huts."""

from dataclasses import dataclass

from footpath import distance


@dataclass(frozen=True)
class Hut:
    """A place to sleep."""

    name: str
    where: distance.Point
    beds: int = 0


def nearest(huts, here):
    """The hut that is closest to where we are; the first of several that are equally close."""
    return min(huts, key=lambda hut: distance.haversine_km(here, hut.where))


def with_beds(huts, wanted):
    """Only the huts that can take a party of this size."""
    return [hut for hut in huts if hut.beds >= wanted]
