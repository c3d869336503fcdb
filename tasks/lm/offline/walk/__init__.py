"""Walk: a bounded reader of small Python programs, which says what they would do and runs nothing."""
