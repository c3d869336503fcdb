"""Right or wrong."""

from wordcards.deck import back_of


def matches(typed, back):
    """Whether what was typed is what is on the back."""
    return typed.lower() == back.lower()


def mistakes(answers):
    """Fronts of the cards that were answered wrongly; `answers` has what was typed for each front."""
    return [front for front, typed in answers.items() if not matches(typed, back_of(front))]


def percent_right(answers):
    """Right answers in percent, to a tenth; 0.0 if nothing was asked."""
    if not answers:
        return 0.0
    return round(100 * (len(answers) - len(mistakes(answers))) / len(answers), 1)
