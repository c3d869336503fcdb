from labbench.formula import atoms


def test_atoms_of_acetic_acid():
    assert atoms("CH3COOH") == {"C": 2, "H": 4, "O": 2}


def test_atoms_of_lime():
    assert atoms("Ca(OH)2") == {"Ca": 1, "O": 2, "H": 2}
