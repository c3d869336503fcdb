"""Placing text on a roll of paper."""


def centred(text, *, columns):
    """Put text in the middle of a line; an odd column is left over on the right. Nothing trails behind the text."""
    return " " * ((columns - len(text)) // 2) + text


def ruled(*, columns):
    """A line to cut along."""
    return "-" * columns


def cut(text, *, columns):
    """Text that is too long for the roll loses its end and gets a full stop instead."""
    return text if len(text) <= columns else text[: columns - 1] + "."
