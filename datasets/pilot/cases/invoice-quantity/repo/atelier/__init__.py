"""Invoices for a workshop."""
