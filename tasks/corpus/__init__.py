"""Corpus: reading and linting cases."""
