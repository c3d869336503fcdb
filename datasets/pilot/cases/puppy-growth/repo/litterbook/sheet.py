"""The sheet beside the box."""

from litterbook.growth import average_gain, gain


def line(puppy):
    """One puppy."""
    return f"{puppy.name}: {len(puppy.weighings)} times weighed, {gain(puppy):+d} g"


def sheet(puppies):
    """A line for every puppy and one for the litter."""
    return [*(line(puppy) for puppy in puppies), f"litter: {average_gain(puppies):+.1f} g"]
