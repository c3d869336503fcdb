"""Humidity in a greenhouse, bed by bed."""
