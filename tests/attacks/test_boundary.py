"""The boundary suite against our tools, and against tools that are known to leak."""

import os
from collections import Counter

import pytest

from flows.attacking import attack
from tasks.attacks.boundary import suite
from tasks.attacks.boundary.suite import attacks, run
from tasks.records.errors import Refusal
from tests.attacks.naive_tools import NaiveTools, RepairedTools


@pytest.fixture(scope="module")
def product():
    return attack("boundary", "", None, 0, matrix=False, progress=lambda *_: None).rows


def leaked(rows):
    return [row for row in rows if row.observed == "leaked"]


def test_there_are_more_than_320_attacks_of_different_names():
    """Through every tool and through the walk, each once."""
    names = [(each.carrier, each.name) for each in attacks()]
    assert len(set(names)) == len(names) > 320
    assert set(Counter(carrier for carrier, _ in names)) == set(suite.CARRIERS)


def test_nothing_gets_out_of_our_tools(product):
    """No secret, no place of this machine, no answer beyond its size, no exception, no hang."""
    assert [(row.tier, row.attack, row.note) for row in leaked(product)] == []


def test_only_device_nodes_need_root(product):
    """Everything else is planted by whoever runs this."""
    missing = {row.attack for row in product if row.observed == "unexercised"}
    assert missing == (set() if os.geteuid() == 0 else {"null device", "zero device"})


def test_naive_tools_leak_in_more_than_25_rows(monkeypatch):
    """By paths, links, names that are shut in, and floods."""
    monkeypatch.setattr(suite, "PATIENCE_SECONDS", 1.0)
    rows = leaked(run(NaiveTools, {"escape", "link", "shut in", "flood"}))
    assert len(rows) >= 25
    assert {row.kind for row in rows} >= {"escape", "link", "shut in", "flood"}


def test_the_usual_repair_still_leaks_as_it_is_known_to(monkeypatch):
    """Links to files in a search, hard links in a read, `.env.production`, a line without an end."""
    monkeypatch.setattr(suite, "PATIENCE_SECONDS", 1.0)
    rows = {(row.tier, row.attack) for row in leaked(run(RepairedTools, {"link", "shut in", "flood"}))}
    assert rows >= {
        ("search_repository", "symlink"),
        ("read_file", "hard link"),
        ("read_file", "named '.env.production'"),
        ("read_file", "flood: one line of 200,000 characters, read"),
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"tier": "bubblewrap"}, "boundary tier 'bubblewrap': expected one of read_file, search_repository"),
        ({"matrix": True}, "it has no kill matrix and forks nothing"),
        ({"warm": True}, "it has no kill matrix and forks nothing"),
    ],
)
def test_what_this_suite_has_not_is_refused_in_one_line(words, said):
    """Tiers and options of the other suites."""
    asked = {"suite": "boundary", "tier": "", "home": None, "gradings": 0, "matrix": False, "warm": False} | words
    with pytest.raises(Refusal, match=said):
        attack(**asked, progress=lambda *_: None)
