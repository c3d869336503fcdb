"""Whole games."""

from scorebook.movetext import moves, result
from scorebook.tags import tags, without_tags


def read_game(text):
    """A game as a dictionary: white, black, moves, result."""
    named, body = tags(text), without_tags(text)
    return {
        "white": named.get("White", "?"),
        "black": named.get("Black", "?"),
        "moves": moves(body),
        "result": result(body),
    }


def score_of(player, games):
    """Points of a player over several games, in halves: 2 for a win, 1 for a draw."""
    halves = 0
    for game in games:
        if game["result"] == "1/2-1/2" and player in (game["white"], game["black"]):
            halves += 1
        elif (game["result"], player) in (("1-0", game["white"]), ("0-1", game["black"])):
            halves += 2
    return halves
