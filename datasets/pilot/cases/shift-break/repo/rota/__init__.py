"""Shifts and pay."""
