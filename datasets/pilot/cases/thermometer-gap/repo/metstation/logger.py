"""Lines of the logger."""


def read_line(line):
    """'6 -1.5' is (6, -1.5); '6 -' is (6, None)."""
    hour, shown = line.split()
    return int(hour), None if shown == "-" else float(shown)


def read_day(text):
    """All lines of a day, by the hour."""
    return sorted((read_line(line) for line in text.splitlines()), key=lambda pair: pair[0])
