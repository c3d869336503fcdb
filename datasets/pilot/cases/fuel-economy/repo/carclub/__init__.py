"""Log book of a car club."""
