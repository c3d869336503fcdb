"""Tiles for walls and floors."""
