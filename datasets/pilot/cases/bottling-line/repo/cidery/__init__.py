"""A day at the bottling line."""
