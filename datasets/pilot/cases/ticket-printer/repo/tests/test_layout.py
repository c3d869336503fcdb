from boxoffice.layout import centred, ruled


def test_text_in_the_middle():
    assert centred("stage", columns=9) == "  stage"


def test_rule():
    assert ruled(columns=5) == "-----"
