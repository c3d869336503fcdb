"""The books of a small association."""
