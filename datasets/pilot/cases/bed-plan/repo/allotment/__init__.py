"""Plans for allotment gardens."""
