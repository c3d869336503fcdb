"""The counter of a copy shop."""
