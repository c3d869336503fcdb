"""Scoring: components, feedback and statistics; pure functions of recorded evidence."""
