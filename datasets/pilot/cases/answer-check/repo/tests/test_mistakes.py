from wordcards.answers import mistakes


def test_typed_on_the_phone():
    assert mistakes({"bear": "Ba\u0308r", "boy": "Knabe"}) == ["boy"]


def test_a_blank_too_many():
    assert mistakes({"to be late": "zu  sp\u00e4t kommen ", "boy": "Knabe"}) == ["boy"]


def test_another_word():
    assert mistakes({"apple tree": "Birnbaum", "boy": "Junge"}) == ["apple tree"]


def test_capitals():
    assert mistakes({"boy": "JUNGE", "apple tree": "apfelbaum"}) == []
