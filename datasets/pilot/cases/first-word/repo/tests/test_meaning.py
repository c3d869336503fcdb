from phrasebook.meaning import meaning


def test_first_danish_word():
    assert meaning("danish", "aften") == "evening"


def test_other_danish_words():
    assert [meaning("danish", word) for word in ("hus", "By", "kat")] == ["house", "town", None]


def test_frisian_house():
    assert meaning("frisian", "h\u00fbs") == "house"
