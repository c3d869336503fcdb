"""A puppy."""


class Puppy:
    """Somebody small who is weighed now and then."""

    def __init__(self, name):
        self.name = name
        self.weighings = []

    def weigh(self, day, grams):
        """Note a weight; `day` counts from birth. Returns the puppy, so that weighings can be chained."""
        if grams <= 0:
            raise ValueError(f"{self.name} cannot weigh {grams} g")
        self.weighings.append((day, grams))
        return self

    def weights(self):
        """All weights, from the first day to the latest."""
        return [grams for _, grams in sorted(self.weighings)]
