# canary-pilot-14a10ce66d1661c516983531615d8500
from larder.energy import energy, energy_of, energy_per_portion
from larder.label import label
from larder.recipe import Recipe
from larder.table import KCAL


def test_other_things_without_a_row():
    biscuits = Recipe("Biscuits", 20, flour=400, butter=200, vanilla=2, soda=5)
    assert energy(biscuits) == 2880
    assert energy_per_portion(biscuits) == 144


def test_one_unlisted_ingredient_by_itself():
    assert energy_of("pepper", 500) == 0
    assert energy_of("Flour", 100) == 0


def test_label_of_a_tea():
    tea = Recipe("Chai", 2, water=300, milk=100, ginger=6)
    assert label(tea) == "Chai: water, milk, ginger\n32 kcal a portion"


def test_a_sweet_with_a_stick():
    assert energy(Recipe("Lolly", 1, stick=3, sugar=15)) == 60


def test_listed_ingredients_count_in_full():
    assert energy(Recipe("Dough", 4, flour=300, milk=200, yeast=20, sugar=10)) == 1240
    assert energy_of("oats", 50) == 185


def test_a_recipe_of_nothing():
    assert energy(Recipe("Air", 1)) == 0


def test_the_table_is_as_printed():
    assert sorted(KCAL) == ["butter", "flour", "milk", "oats", "sugar", "yeast"]
