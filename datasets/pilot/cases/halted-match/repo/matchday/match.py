"""A match."""

from matchday.clock import playing_time
from matchday.states import START, after


class Match:
    """Two teams, the state, and the log so far."""

    def __init__(self, home, guests):
        self.home = home
        self.guests = guests
        self.state = START
        self.log = []

    def happens(self, minute, event):
        """Enter an event, and return the state that follows. Raises ValueError if it cannot happen now."""
        self.state = after(self.state, event)
        self.log.append((minute, event))
        return self.state

    def line(self):
        """A line for the web site."""
        return f"{self.home} - {self.guests}: {self.state}, {playing_time(self.log)} min"


def still_open(matches):
    """Lines of the matches that are neither finished nor void."""
    return [match.line() for match in matches if match.state not in ("finished", "void")]
