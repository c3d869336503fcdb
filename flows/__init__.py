"""Flows: what a person runs, schedules and inspects."""
