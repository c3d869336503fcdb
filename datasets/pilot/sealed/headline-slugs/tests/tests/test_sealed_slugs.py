# canary-pilot-90020e83e625814a7f379c9cd49db9c2
from permalink import Site, slugify
from permalink.reading import month_of


def test_hyphens_at_the_ends():
    assert slugify("  (Update) Storm!  ") == "update-storm"
    assert slugify("- dash -") == "dash"


def test_other_punctuation():
    assert slugify("Tea & cake, 5%/year_on_year") == "tea-cake-5-year-on-year"
    assert slugify("A\tB\nC...D") == "a-b-c-d"


def test_accents_and_typographic_apostrophes():
    assert slugify("Caf\u00e9 Cr\u00e8me isn\u2019t \u00c5ngstr\u00f6m") == "cafe-creme-isnt-angstrom"


def test_nothing_remains():
    assert [slugify(headline) for headline in ("", "?!", "\u6c34")] == ["untitled", "untitled", "untitled"]


def test_headlines_that_become_equal():
    site = Site("/news/")
    assert site.publish(2031, 4, "It's on!") == "/news/2031/04/its-on"
    assert site.publish(2031, 4, "Its -- on") == "/news/2031/04/its-on-2"


def test_clean_headlines_are_kept():
    headlines = ["already-a-slug", "X", "Route 66", "109 of 2048 wells dry"]
    assert [slugify(headline) for headline in headlines] == ["already-a-slug", "x", "route-66", "109-of-2048-wells-dry"]


def test_numbers_of_equal_headlines():
    site = Site()
    addresses = [site.publish(2030, 12, "Frost") for _ in range(3)]
    assert addresses == ["/2030/12/frost", "/2030/12/frost-2", "/2030/12/frost-3"]


def test_months_do_not_share_numbers():
    site = Site()
    addresses = [site.publish(2030, month, "Fog") for month in (1, 2)]
    assert addresses == ["/2030/01/fog", "/2030/02/fog"]
    assert [month_of(address) for address in addresses] == [(2030, 1), (2030, 2)]
