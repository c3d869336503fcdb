"""Attacks: suites that attack sandbox and grading, and the proof that they would see a missing defence."""
