# canary-pilot-bf357c0dab0b22e1f931acbb930c9e1e
import pytest

from phrasebook.game import blanks, letters, longest
from phrasebook.lists import languages, pairs
from phrasebook.meaning import meaning, word_for


def test_evening_in_capitals():
    assert [meaning("danish", word) for word in ("AFTEN", "Aften", "ften")] == ["evening", "evening", None]


def test_danish_for_evening():
    assert word_for("danish", "evening") == "aften"
    assert word_for("frisian", "evening") == "j\u00fbn"


def test_five_blanks():
    assert (blanks("danish", "evening"), blanks("frisian", "evening")) == ("_ _ _ _ _", "_ _ _")


def test_all_danish_letters():
    assert letters("danish") == "abdefhiklnrstuy\u00e6\u00f8"
    assert longest("danish") == "aften"


def test_whole_list():
    assert [own for own, _ in pairs("danish")][:4] == ["aften", "br\u00f8d", "by", "hus"]
    assert len(pairs("danish")) == 7


def test_first_frisian_word():
    assert meaning("frisian", "b\u00f4le") == "bread"
    assert [own for own, _ in pairs("frisian")] == ["b\u00f4le", "h\u00fbs", "j\u00fbn", "tsjerke"]


def test_letters_that_are_not_english():
    assert [meaning("danish", word) for word in ("\u00d8", "\u00e6ble", "br\u00f8d")] == ["island", "apple", "bread"]
    assert (blanks("danish", "island"), longest("frisian")) == ("_", "tsjerke")


def test_no_list_no_words():
    assert languages() == ["danish", "frisian"]
    with pytest.raises(LookupError):
        pairs("welsh")
