"""The index: what is done is found again, and what is not says why."""

import pytest

from tasks.evidence.index import key_of
from tasks.records.evidence import ToolCall

CALL = ToolCall(tool="t", arguments={})
PARTS = {"manifest": "a" * 64, "metric_version": "repair/1", "session": 1}


@pytest.fixture
def key(store):
    """A key whose work is done and kept."""
    key = key_of("baseline", PARTS)
    store.remember(key, store.put(CALL), PARTS)
    return key


def entry(home):
    """The only entry of an index."""
    return next(path for path in home.index.rglob("*.json"))


def test_what_is_done_is_found_again(store, key):
    """By its key alone."""
    assert store.recall(key) == CALL.fingerprint


def test_a_key_ignores_the_order_of_its_parts():
    """Parts have names."""
    assert key_of("baseline", dict(reversed(PARTS.items()))) == key_of("baseline", PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_a_key_notices_every_part(store, key, name):
    """Another manifest, version or session is other work."""
    assert store.recall(key_of("baseline", {**PARTS, name: "other"})) is None


def test_a_key_notices_its_kind(store, key):
    """Two stages may take the same things."""
    assert store.recall(key_of("holdout", PARTS)) is None


def test_every_truncation_of_an_entry_is_a_miss(store, home, key):
    """A crash while it was written costs the work, not the run."""
    whole = entry(home).read_bytes()
    for length in range(len(whole)):
        entry(home).write_bytes(whole[:length])
        assert store.recall(key) is None


@pytest.mark.parametrize("content", [b"[]", b"null", b"\xff", b'{"key": 1}', b"[" * 100_000])
def test_an_entry_that_is_something_else_is_a_miss(store, home, key, content):
    """Whatever lies there, nothing crashes."""
    entry(home).write_bytes(content)
    assert (store.recall(key), store.explain("baseline", PARTS)) == (None, "no baseline was done before")


def test_an_entry_whose_object_is_gone_is_a_miss(store, home, key):
    """So that deleting a damaged object is a remedy."""
    for path in [path for path in home.objects.rglob("*") if path.is_file()]:
        path.unlink()
    assert store.recall(key) is None


def test_a_plain_key_is_fine(store):
    """Callers may bring a key of their own."""
    store.remember("../any text", store.put(CALL))
    assert store.recall("../any text") == CALL.fingerprint


def test_no_key_leaves_the_index(store, home):
    """A kind is no path."""
    store.remember("../../outside/x", store.put(CALL))
    assert [path.name for path in home.root.parent.iterdir()] == ["state"]


def test_a_miss_says_which_part_differs(store, key):
    """The person who wonders why a stage runs again reads one line."""
    assert store.explain("baseline", {**PARTS, "metric_version": "repair/2"}) == (
        "baseline was done before, but differs in metric_version: 'repair/1' then, 'repair/2' now"
    )


def test_a_miss_names_parts_that_came_or_went(store, key):
    """A part of a newer version is absent from an older key."""
    parts = {"manifest": "a" * 64, "metric_version": "repair/1", "seed": 0}
    assert store.explain("baseline", parts) == (
        "baseline was done before, but differs in seed: absent then, 0 now; session: 1 then, absent now"
    )


def test_a_miss_is_compared_with_the_nearest_earlier_key(store, key):
    """The key that shares most parts explains most."""
    store.remember(key_of("baseline", {"manifest": "b"}), store.put(CALL), {"manifest": "b"})
    assert store.explain("baseline", {**PARTS, "session": 2}).endswith("differs in session: 1 then, 2 now")


def test_a_first_time_and_an_exact_hit_are_told_apart(store, key):
    """Both in words."""
    assert (store.explain("audit", PARTS), store.explain("baseline", PARTS)) == (
        "no audit was done before",
        "baseline was done before with the same parts",
    )
