from lendingdesk.letter import letter
from lendingdesk.loan import Loan


def test_titles_between_greeting_and_amount():
    loans = [Loan("Ruth", "Moss and Lichen", "book", 185), Loan("Ruth", "Coast Walks", "book", 191)]
    lines = letter("Ruth", loans, 200)
    assert lines == ["Dear Ruth", "Moss and Lichen (15 days)", "Coast Walks (9 days)", "To pay: 3.60"]


def test_nothing_is_late():
    assert letter("Ruth", [Loan("Ruth", "Coast Walks", "book", 200)], 200) == []
