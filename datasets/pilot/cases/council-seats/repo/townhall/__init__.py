"""Seats from votes."""
