"""Records of hockey matches."""
