"""Weights of a litter."""

from litterbook.puppy import Puppy

__all__ = ["Puppy"]
