"""Word lists of a language club."""
