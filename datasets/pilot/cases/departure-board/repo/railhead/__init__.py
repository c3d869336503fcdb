"""Boards for a branch line."""
