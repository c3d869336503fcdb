"""Tickets."""

from boxoffice.layout import centred, cut

ROLL = 24


class Ticket:
    """One seat for one evening."""

    def __init__(self, play, evening, seat):
        self.play, self.evening, self.seat = play, evening, seat

    def heading(self):
        """The name of the play, in the middle of the roll."""
        return centred(cut(self.play, columns=ROLL), width=ROLL)

    def lines(self):
        """Everything that is printed on the ticket."""
        return [self.heading(), f"{self.evening}, seat {self.seat}"]
