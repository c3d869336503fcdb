"""The sums."""


def ratio(front: int, back: int) -> float:
    """Turns of the wheel for one turn of the pedals."""
    return front / back


def metres_a_turn(front: int, back: int, wheel_mm: int) -> float:
    """Metres that one turn of the pedals takes us, to the centimetre."""
    return round(ratio(front, back) * wheel_mm / 1000, 2)
