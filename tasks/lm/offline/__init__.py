"""Offline: the embedded default models, deterministic and honest; what they produce is `evidence_class = fixture`."""
