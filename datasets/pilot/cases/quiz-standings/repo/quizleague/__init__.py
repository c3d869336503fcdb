"""Standings of a pub quiz league."""
