"""Yield of solar panels."""
