"""The register."""

from dataclasses import dataclass
from datetime import date

from hoistcheck.schedule import next_inspection


@dataclass(frozen=True)
class Lift:
    """A lift; `every_months` lie between two inspections."""

    place: str
    in_service: date
    every_months: int


def read_lift(line: str) -> Lift:
    """'town hall; 2030-04-15; 12' as a Lift."""
    place, in_service, every = (part.strip() for part in line.split(";"))
    return Lift(place, date.fromisoformat(in_service), int(every))


def agenda(lines: list[str], today: date) -> list[str]:
    """What is due next at each place, the soonest first."""
    due = []
    for lift in map(read_lift, lines):
        due.append((next_inspection(lift.in_service, lift.every_months, today), lift.place))
    return [f"{day.isoformat()} {place}" for day, place in sorted(due)]


def days_overdue(due: date, today: date) -> int:
    """Days since an inspection was due; 0 if it is not."""
    return max(0, (today - due).days)
