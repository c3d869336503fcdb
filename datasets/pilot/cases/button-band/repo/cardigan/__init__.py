"""Numbers for knitters."""
