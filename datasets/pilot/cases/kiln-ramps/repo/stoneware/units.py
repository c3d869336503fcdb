"""Fahrenheit and Celsius."""


def to_celsius(fahrenheit: float) -> float:
    """A temperature in degrees Celsius."""
    return (fahrenheit - 32) * 5 / 9
