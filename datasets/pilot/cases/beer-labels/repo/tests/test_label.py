from brewhouse.label import label


def test_label_of_the_stout():
    assert label("Stout", 1066, 1018) == "Stout, 6.3 % vol"


def test_unfermented_wort():
    assert label("Wort", 1049, 1049) == "Wort, 0.0 % vol"
