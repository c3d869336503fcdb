"""Labels and duty of a small brewery."""
