"""Governance: the manifest guard, leakage and integrity checks, and the promotion policy; pure."""
