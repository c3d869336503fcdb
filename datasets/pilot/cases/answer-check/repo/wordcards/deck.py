"""The deck."""

from pathlib import Path

DECK = Path(__file__).parent / "cards.tsv"


def deck():
    """Backs by front, in the order of the file."""
    lines = DECK.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def back_of(front):
    """What is on the other side; LookupError if there is no such card."""
    try:
        return deck()[front]
    except KeyError:
        raise LookupError(f"no card says {front}") from None
