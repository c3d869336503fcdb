"""A radio amateur's log."""
