# canary-pilot-147676ce9b4eb44d8ee2aa1a9e4fe90c
from hamlog.award import countries, points
from hamlog.country import continent, country


def test_countries_of_two_letters():
    calls = ["GM3ABC", "gw8q", "KL7RR", "FK8CP", "FG5FR"]
    assert [country(call) for call in calls] == ["Scotland", "Wales", "Alaska", "New Caledonia", "Guadeloupe"]


def test_islands_with_a_digit():
    assert [country(call) for call in ("OH0Z", "OH2BH", "KP4JS", "OJ0B")] == [
        "Aland Islands",
        "Finland",
        "Puerto Rico",
        "Market Reef",
    ]


def test_guests_with_a_stroke():
    assert [country(call) for call in ("GM/F5XYZ", "KP4/G4AAA", "G/LA1B", "OH0/K1ZZ/P")] == [
        "Scotland",
        "Puerto Rico",
        "England",
        "Aland Islands",
    ]


def test_continents_of_prefixes_alike():
    assert [continent(call) for call in ("F5A", "FK8A", "FG1A", "K3A", "KH6A", "KL7A")] == [
        "Europe",
        "Oceania",
        "America",
        "America",
        "Oceania",
        "America",
    ]


def test_an_evening_for_the_award():
    log = ["GM4X", "G4X", "KH6A", "K1A", "KL7A", "GM0Y", "FG4B", "ZS1C"]
    assert countries(log) == ["Scotland", "England", "Hawaii", "United States", "Alaska", "Guadeloupe"]
    assert points(log, "Europe") == 14


def test_the_short_prefixes_remain():
    assert [country(call) for call in ("K1A", "G0QQ", "F5IN", "LA9V", "K")] == [
        "United States",
        "England",
        "France",
        "Norway",
        "United States",
    ]


def test_rows_that_come_before_their_mainland():
    assert [country("KH6XX"), continent("KH6XX"), country("KH2A")] == ["Hawaii", "Oceania", "United States"]


def test_portable_mobile_and_unknown():
    assert [country(call) for call in ("LA1B/P", " oh2x/m ", "ZS1AB", "")] == ["Norway", "Finland", None, None]
    assert (countries(["ZS1AB"]), points(["ZS1AB", "F1A"], "Oceania")) == ([], 3)
