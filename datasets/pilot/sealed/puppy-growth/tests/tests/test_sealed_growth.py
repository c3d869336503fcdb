# canary-pilot-e218d278d64d9ade5c5c0a39f2113793
from litterbook import Puppy
from litterbook.growth import average_gain, gain, slowest
from litterbook.sheet import sheet


def litter():
    return [
        Puppy("Fern").weigh(1, 288).weigh(7, 543).weigh(14, 921),
        Puppy("Clover"),
        Puppy("Reed").weigh(1, 302).weigh(7, 489),
        Puppy("Bracken").weigh(2, 317),
    ]


def test_gains_of_a_litter():
    assert [gain(puppy) for puppy in litter()] == [633, 0, 187, 0]


def test_average_over_everybody():
    assert average_gain(litter()[:3]) == 273.3
    assert average_gain(litter()) == 205.0


def test_who_grows_slowest():
    assert slowest(litter()) == "Clover"
    assert slowest(litter()[::-1]) == "Bracken"


def test_sheet_of_the_litter():
    assert sheet(litter()[1:3]) == ["Clover: 0 times weighed, +0 g", "Reed: 2 times weighed, +187 g", "litter: +93.5 g"]


def test_a_single_weighing():
    assert gain(Puppy("Bracken").weigh(2, 317)) == 0


def test_weighings_in_any_order():
    assert gain(Puppy("Fern").weigh(21, 1184).weigh(3, 306).weigh(10, 702)) == 878
    assert gain(Puppy("Reed").weigh(1, 302).weigh(2, 287)) == -15


def test_average_of_two():
    assert average_gain([Puppy("A").weigh(1, 250).weigh(9, 618), Puppy("B").weigh(1, 251).weigh(9, 520)]) == 318.5
