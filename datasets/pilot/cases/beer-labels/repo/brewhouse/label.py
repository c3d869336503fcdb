"""What is printed."""

from brewhouse.strength import alcohol_ml, strength


def label(name, original, final):
    """A bottle label."""
    return f"{name}, {strength(original, final):.1f} % vol"


def strongest(brews):
    """The name of the strongest brew; `brews` maps names to (original, final)."""
    return max(brews, key=lambda name: strength(*brews[name]))


def duty_return(brews, litres):
    """Millilitres of pure alcohol for each brew, for the same number of litres of each."""
    return {name: alcohol_ml(litres, original, final) for name, (original, final) in brews.items()}
