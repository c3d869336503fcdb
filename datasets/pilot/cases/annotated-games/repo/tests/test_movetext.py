from scorebook.movetext import moves


def test_moves_between_two_remarks():
    assert moves("1. e4 {best by test} e5 2. Nf3 {develops} Nc6") == ["e4", "e5", "Nf3", "Nc6"]


def test_moves_without_remarks():
    assert moves("1. d4 d5 2. c4 e6 3. Nc3 Nf6 *") == ["d4", "d5", "c4", "e6", "Nc3", "Nf6"]


def test_a_single_remark():
    assert moves("1. c4 {the English} 1... e5 1-0") == ["c4", "e5"]
