"""A runner's log book."""
