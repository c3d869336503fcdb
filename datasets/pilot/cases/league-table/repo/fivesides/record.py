"""What a club has done so far."""

WIN, DRAW = 3, 1


class Record:
    """Matches, points and goals of one club."""

    def __init__(self):
        self.played = 0
        self.points = 0
        self.scored = 0
        self.conceded = 0

    def note(self, scored, conceded):
        """One match."""
        self.played += 1
        self.scored += scored
        self.conceded += conceded
        if scored > conceded:
            self.points += WIN
        elif scored == conceded:
            self.points += DRAW

    def difference(self):
        """Goals scored less goals conceded."""
        return self.scored - self.conceded
