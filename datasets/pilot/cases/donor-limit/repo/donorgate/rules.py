"""The medical guideline, one function for each rule. Every rule answers True if it speaks for the donor."""

YOUNGEST = 18
OLDEST = 70
MINIMUM_WEIGHT_KG = 50
REST_DAYS = 84


def age_is_fine(donor):
    return YOUNGEST <= donor.age <= OLDEST


def weight_is_fine(donor):
    return donor.weight_kg > MINIMUM_WEIGHT_KG


def rest_is_fine(donor):
    return donor.rested_days is None or donor.rested_days >= REST_DAYS


RULES = {"age": age_is_fine, "weight": weight_is_fine, "rest": rest_is_fine}
