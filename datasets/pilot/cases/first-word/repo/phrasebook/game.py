"""A guessing game."""

from phrasebook.lists import pairs
from phrasebook.meaning import word_for


def blanks(language, meant):
    """A blank for each letter of the word that has to be guessed."""
    return " ".join("_" for _ in word_for(language, meant))


def letters(language):
    """Every letter that occurs in the words of a language, each once, by code point."""
    return "".join(sorted({letter for own, _ in pairs(language) for letter in own}))


def longest(language):
    """The longest word of a list, the first of several."""
    return max((own for own, _ in pairs(language)), key=len)
