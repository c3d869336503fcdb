"""Workspace: snapshots, edits, sandboxes and the grading of code that nobody trusts."""
