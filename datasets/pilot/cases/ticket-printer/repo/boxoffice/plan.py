"""Seating plans for the stage door."""

from boxoffice import layout

STAGE_DOOR_ROLL = 32


def heading(play):
    """Top of the plan."""
    return layout.centred(f"* {play} *", width=STAGE_DOOR_ROLL)


def row(name, taken, seats):
    """One row of seats: x for a seat that is taken, o for one that is not."""
    return name + " " + "".join("x" if number in taken else "o" for number in range(1, seats + 1))


def plan(play, rows, seats):
    """The whole plan. `rows` maps the name of a row to the numbers of the seats that are taken."""
    return [heading(play), *(row(name, taken, seats) for name, taken in rows.items())]
