"""Cards for learning words."""
