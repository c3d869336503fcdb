"""Pyrometric cones."""

from pathlib import Path

TABLE = Path(__file__).with_name("cones.txt")


def cone_temperatures() -> dict[str, int]:
    """Degrees Fahrenheit for each cone of the table. '06' and '6' are two cones."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: int(line.split()[1]) for line in lines if not line.startswith("#")}


def bends_at(cone: str) -> int:
    """Degrees Fahrenheit at which a cone bends; LookupError for a cone that the table does not have."""
    temperatures = cone_temperatures()
    if cone not in temperatures:
        raise LookupError(f"no cone {cone} in the table")
    return temperatures[cone]
