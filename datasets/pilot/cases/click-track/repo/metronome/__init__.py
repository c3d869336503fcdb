"""Click tracks."""
