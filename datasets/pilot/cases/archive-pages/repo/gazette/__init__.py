"""The archive of a village gazette."""
