from fieldnotes import Diary
from fieldnotes.overview import last_days


def diary():
    noted = Diary()
    noted.note(120, "swift", 4)
    noted.note(98, "swift")
    noted.note(5, "siskin", 30)
    return noted


def test_a_species_i_never_met():
    assert last_days(diary(), ["swift", "hoopoe"]) == {"swift": 120, "hoopoe": None}


def test_the_later_of_two_days():
    assert last_days(diary(), ["swift", "siskin"]) == {"swift": 120, "siskin": 5}


def test_counting_birds():
    assert diary().birds("swift") == 5
