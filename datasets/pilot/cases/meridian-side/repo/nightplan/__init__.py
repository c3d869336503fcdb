"""Planning a night at a small observatory."""
