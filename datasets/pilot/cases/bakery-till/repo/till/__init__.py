"""Receipts for a bakery counter."""
