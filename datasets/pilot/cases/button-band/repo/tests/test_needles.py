from cardigan.needles import row_at, stitches


def test_stitches_of_a_swatch():
    assert stitches(450, 22) == 99
    assert [row_at(place, 30) for place in (0, 3, 34)] == [1, 1, 11]
