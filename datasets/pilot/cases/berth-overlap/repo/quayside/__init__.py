"""Berths of a small harbour."""
