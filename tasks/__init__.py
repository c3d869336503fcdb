"""Tasks: one file a stage, then the rooms that the stages use."""
