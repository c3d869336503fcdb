"""Trials: one program on one case, one pass over a split, and the proofs that a harness deserves belief."""
