"""The diary."""

from collections import namedtuple

Sighting = namedtuple("Sighting", ["day", "species", "count"])


class Diary:
    """Sightings in the order in which they were written down, which need not be the order of days."""

    def __init__(self):
        self.sightings = []

    def note(self, day, species, count=1):
        """Write down a sighting."""
        if not 1 <= day <= 366:
            raise ValueError(f"{day} is not a day of the year")
        self.sightings.append(Sighting(day, species, count))

    def last_day(self, species):
        """The latest day on which a species was seen."""
        return max(sighting.day for sighting in self.sightings if sighting.species == species)

    def birds(self, species):
        """How many birds of a species there were in all."""
        return sum(sighting.count for sighting in self.sightings if sighting.species == species)
