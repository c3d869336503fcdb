"""Beds."""

EMPTY = "."


class Bed:
    """A grid of places, all empty at first."""

    def __init__(self, rows, places):
        self.rows = rows
        self.places = places
        self.squares = [[EMPTY] * places] * rows

    def plant(self, row, place, crop):
        """Put a crop into one place; IndexError if there is no such place."""
        if not (1 <= row <= self.rows and 1 <= place <= self.places):
            raise IndexError(f"no place {place} in row {row}")
        self.squares[row - 1][place - 1] = crop

    def crop(self, row, place):
        """What grows in a place."""
        return self.squares[row - 1][place - 1]

    def draw(self):
        """One text for each row, places parted by blanks."""
        return [" ".join(row) for row in self.squares]
