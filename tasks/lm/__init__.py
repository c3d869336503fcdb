"""LM: provider strings, the call ledger and its budget, and the embedded offline models."""
