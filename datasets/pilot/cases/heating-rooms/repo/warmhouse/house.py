"""Rooms and their plans."""

from warmhouse.plan import degree_hours, temperature_at
from warmhouse.profiles import load_profiles


class House:
    """The rooms of a house, each with its plan."""

    def __init__(self):
        self._profiles = load_profiles()
        self._plans = {}

    def add(self, room, profile, target=None, earlier=0):
        """Give a room a profile, with a target of its own or with warm hours that begin earlier."""
        if profile not in self._profiles:
            raise LookupError(f"no profile is called {profile}")
        plan = self._profiles[profile]
        if target is not None:
            plan["target"] = target
        for span in plan["warm"]:
            span[0] = max(0, span[0] - earlier)
        self._plans[room] = plan

    def temperature(self, room, hour):
        """Degrees in a room in an hour of the day."""
        return temperature_at(self._plans[room], hour)

    def warm_hours(self, room):
        """Warm hours of a room, as text."""
        return ", ".join(f"{start}-{end}" for start, end in self._plans[room]["warm"])

    def demand(self, outside):
        """Degree hours of a day for each room."""
        return {room: degree_hours(plan, outside) for room, plan in self._plans.items()}
