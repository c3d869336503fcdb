"""Wording: figures as a reader meets them in reasons and remedies."""

from tasks.records.verdict import Interval


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shown(interval: Interval) -> str:
    """A mean and its interval."""
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}] at {interval.level:.1%}"
