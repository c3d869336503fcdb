# canary-pilot-d29601ce9fed4c5f1932afbd382a1fe1
from nightplan.dial import minutes, reading
from nightplan.sheet import entry, in_order
from nightplan.sky import hour_angle, side, wait


def test_star_that_is_still_to_come():
    assert hour_angle(130, 417) == -287
    assert hour_angle(417, 130) == 287


def test_around_sidereal_midnight():
    assert hour_angle(25, 1404) == 61
    assert hour_angle(1404, 25) == -61


def test_sides_of_the_pier():
    assert [side(700, right_ascension) for right_ascension in (699, 701, 1419, 20)] == ["west", "east", "east", "west"]


def test_minutes_until_transit():
    assert [wait(300, right_ascension) for right_ascension in (345, 255, 1439)] == [45, 1395, 1139]


def test_what_hangs_in_the_dome():
    stars = {"Vega": 1117, "Deneb": 1241, "Altair": 1191}
    assert in_order(stars, 1200) == ["Vega", "Altair", "Deneb"]
    assert entry("Deneb", 1241, 1200) == "Deneb: -41 east, transit in 0:41"


def test_lower_meridian():
    assert [hour_angle(0, 720), hour_angle(1000, 280), hour_angle(280, 1000)] == [-720, -720, -720]
    assert side(0, 720) == "east"


def test_transit_right_now():
    assert (wait(88, 88), wait(0, 720)) == (0, 720)


def test_dial_beyond_a_day():
    assert [reading(total) for total in (1440, 1505, 59)] == ["0:00", "1:05", "0:59"]
    assert minutes("23:59") == 1439
