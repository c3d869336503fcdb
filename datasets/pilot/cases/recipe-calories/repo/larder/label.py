"""The label itself."""

from larder.energy import energy_per_portion


def label(recipe):
    """Two lines of text."""
    return f"{recipe.title}: {', '.join(recipe.by_weight())}\n{energy_per_portion(recipe)} kcal a portion"
