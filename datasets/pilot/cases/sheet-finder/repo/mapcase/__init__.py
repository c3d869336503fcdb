"""Finding map sheets."""
