"""Inspections of lifts."""
