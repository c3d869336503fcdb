"""How much energy there is in a recipe."""

from larder.table import KCAL


def energy_of(name, grams):
    """Kilocalories in this many grams of one ingredient."""
    return KCAL[name] * grams / 100


def energy(recipe):
    """Kilocalories in the whole recipe."""
    return sum(energy_of(name, grams) for name, grams in recipe.grams.items())


def energy_per_portion(recipe):
    """Kilocalories in one portion, rounded to a whole number."""
    return round(energy(recipe) / recipe.portions)
