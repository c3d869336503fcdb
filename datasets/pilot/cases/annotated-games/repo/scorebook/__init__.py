"""A scorebook for chess games."""
