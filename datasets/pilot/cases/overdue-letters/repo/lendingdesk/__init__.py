"""Reminders for a town library."""
