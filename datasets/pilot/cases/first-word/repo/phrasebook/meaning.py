"""Looking words up."""

from phrasebook.lists import pairs


def meaning(language, word):
    """What a word means; None if it is not in the list."""
    for own, meant in pairs(language):
        if own.casefold() == word.casefold():
            return meant
    return None


def word_for(language, meant):
    """The first word with that meaning; None if there is none."""
    return next((own for own, other in pairs(language) if other == meant), None)
