"""For a school laboratory."""
