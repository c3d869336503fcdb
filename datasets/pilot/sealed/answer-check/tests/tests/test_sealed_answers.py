# canary-pilot-efdc93b592580196781bb6bf2cd20727
import pytest

from wordcards.answers import mistakes, percent_right
from wordcards.boxes import after_round, days_off
from wordcards.deck import back_of

ROUND = {
    "exercise": "\u00dcbung",
    "street": "Strasse",
    "bear": "Bar",
    "size": "GRO\u0308SSE",
    "thank you very much": " vielen  Dank",
    "boy": "Jungle",
    "masses": "masse",
}


def test_dots_on_either_side():
    assert mistakes({"exercise": "\u00fcbung", "bear": "B\u00c4R", "boy": "Madchen"}) == ["boy"]
    assert mistakes({"exercise": "U\u0308bung", "bear": "ba\u0308r", "size": "gro\u0308\u00dfe"}) == []


def test_sharp_s_written_as_two():
    assert mistakes({"street": "STRASSE", "size": "Gr\u00f6sse", "measures": "Masse", "boy": "-"}) == ["boy"]
    assert mistakes({"masses": "Ma\u00dfe", "street": "Strase"}) == ["street"]


def test_blanks_in_all_places():
    typed = {"thank you very much": "   vielen   Dank", "to be late": "zu sp\u00e4t  kommen", "boy": " Junge "}
    assert mistakes({**typed, "bear": "Baer"}) == ["bear"]


def test_percent_of_a_mixed_round():
    assert percent_right(ROUND) == 71.4
    assert percent_right({"street": "strasse", "bear": "Bar", "boy": "Bub"}) == 33.3


def test_boxes_after_a_round():
    boxes = {"exercise": 2, "street": 4, "bear": 3, "size": 1, "boy": 5, "apple tree": 5}
    after = after_round(boxes, ROUND)
    assert after == {"exercise": 3, "street": 5, "bear": 1, "size": 2, "boy": 1, "apple tree": 5}
    assert days_off(after) == 123


def test_dots_matter():
    assert mistakes({"bear": "Bar", "to be late": "zu spat kommen", "boy": "Junge"}) == ["bear", "to be late"]
    assert mistakes({"apple tree": "\u00c4pfelbaum"}) == ["apple tree"]


def test_blanks_between_words_matter():
    assert mistakes({"thank you very much": "vielenDank", "apple tree": "Apfel baum"}) == [
        "thank you very much",
        "apple tree",
    ]


def test_nothing_asked():
    assert percent_right({}) == 0.0
    with pytest.raises(LookupError):
        back_of("cloud")
