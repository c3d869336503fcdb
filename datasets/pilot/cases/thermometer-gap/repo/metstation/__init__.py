"""A school's weather station."""
