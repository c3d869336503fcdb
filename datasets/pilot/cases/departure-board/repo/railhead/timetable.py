"""The timetable, as it is delivered by the regional operators."""


class Timetable:
    """Trains by name; each is a list of (station, minute of the day)."""

    def __init__(self, trains):
        self.trains = trains

    def starts_at(self, station):
        """(minute, train) for each train that begins its run here."""
        return sorted((calls[0][1], train) for train, calls in self.trains.items() if calls[0][0] == station)

    def calls_at(self, station):
        """(minute, train) for each train that can be boarded here: it calls here and goes on."""
        found = []
        for train, calls in self.trains.items():
            for name, minute in calls[:-1]:
                if name == station:
                    found.append((minute, train))
        return sorted(found)

    def ends_at(self, station):
        """(minute, train) for each train that ends its run here."""
        return sorted((calls[-1][1], train) for train, calls in self.trains.items() if calls[-1][0] == station)
