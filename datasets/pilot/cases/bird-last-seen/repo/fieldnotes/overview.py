"""Overviews for a list of species."""


def last_days(diary, species_list):
    """For each species the latest day on which it was seen."""
    return {species: diary.last_day(species) for species in species_list}


def still_missing(diary, species_list):
    """Species from the list that are not in the diary, in the order of the list."""
    return [species for species in species_list if diary.birds(species) == 0]


def as_text(diary, species_list):
    """A line for each species, with a dash where there is nothing to tell."""
    days = last_days(diary, species_list)
    return [f"{species}: {'-' if day is None else day}" for species, day in days.items()]
