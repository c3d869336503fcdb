"""Table of a hockey league."""
