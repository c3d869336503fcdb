"""Firing charts for kilns."""
