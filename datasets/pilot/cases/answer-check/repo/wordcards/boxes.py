"""Boxes from 1 to 5; the higher the box, the longer a card rests."""

from wordcards.answers import mistakes

REST_DAYS = {1: 1, 2: 3, 3: 8, 4: 21, 5: 55}


def next_box(box, known):
    """Where a card goes."""
    return min(box + 1, max(REST_DAYS)) if known else 1


def after_round(boxes, answers):
    """Boxes after a round: `boxes` has the box of each card, by front; cards that were not asked stay."""
    wrong = mistakes(answers)
    return {front: next_box(box, front not in wrong) if front in answers else box for front, box in boxes.items()}


def days_off(boxes):
    """Days that all cards together will rest."""
    return sum(REST_DAYS[box] for box in boxes.values())
