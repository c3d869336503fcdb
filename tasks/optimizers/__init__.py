"""Optimizers: search for a better candidate, behind one call."""
