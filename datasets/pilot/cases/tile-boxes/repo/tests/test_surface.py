from tilework.surface import fitting


def test_a_cut_tile_counts():
    assert [fitting(length, 300) for length in (1512, 1513)] == [5, 6]
