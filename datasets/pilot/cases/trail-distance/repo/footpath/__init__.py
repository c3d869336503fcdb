"""Hikes from coordinates."""
