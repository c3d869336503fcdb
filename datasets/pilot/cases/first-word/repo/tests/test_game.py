from phrasebook.game import blanks


def test_blanks_of_a_town():
    assert blanks("danish", "town") == "_ _"
