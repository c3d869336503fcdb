"""Paper for a small theatre."""
