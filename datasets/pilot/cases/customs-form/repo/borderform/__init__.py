"""Customs forms."""
