"""Recipes."""


class Recipe:
    """A title, how many portions it makes, and its ingredients with their weight in grams."""

    def __init__(self, title, portions, **grams):
        if portions < 1:
            raise ValueError("a recipe makes one portion or more")
        self.title = title
        self.portions = portions
        self.grams = grams

    def by_weight(self):
        """Ingredients, heaviest first; equally heavy ones by name."""
        return sorted(self.grams, key=lambda name: (-self.grams[name], name))
