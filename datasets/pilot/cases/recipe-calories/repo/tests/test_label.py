from larder.energy import energy_per_portion
from larder.label import label
from larder.recipe import Recipe


def test_bread_with_salt_and_water():
    bread = Recipe("Bread", 10, flour=1000, water=650, salt=20, yeast=10)
    assert energy_per_portion(bread) == 351


def test_plain_butter():
    assert energy_per_portion(Recipe("Butter", 2, butter=50)) == 185


def test_the_heaviest_comes_first():
    assert label(Recipe("Porridge", 1, oats=50, milk=200)) == "Porridge: milk, oats\n315 kcal a portion"
