"""Heating plans."""

from warmhouse.house import House

__all__ = ["House"]
