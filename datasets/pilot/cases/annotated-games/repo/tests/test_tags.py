from scorebook.tags import tags


def test_a_tag_on_each_line():
    assert tags('[White "Ada"]\n[Black "Bo"]\n\n1. e4') == {"White": "Ada", "Black": "Bo"}
