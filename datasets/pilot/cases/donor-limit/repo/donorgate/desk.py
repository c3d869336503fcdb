"""What the desk says."""

from donorgate.rules import RULES


def obstacles(donor):
    """Names of the rules that speak against a donation, in the order of the guideline."""
    return [name for name, is_fine in RULES.items() if not is_fine(donor)]


def answer(donor):
    """A short sentence for the person at the desk."""
    against = obstacles(donor)
    if not against:
        return "welcome"
    return "come back: " + ", ".join(against)


def admitted(donors):
    """How many of these people may donate."""
    return sum(1 for donor in donors if not obstacles(donor))
