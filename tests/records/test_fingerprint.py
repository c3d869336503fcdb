"""Fingerprints: the same content has one name, other content has another, and what has no canonical form has none."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.records.fingerprint import Unfit, canonical, fingerprint, sha256

LAW = settings(max_examples=50, deadline=None)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
OBJECT = st.dictionaries(TEXT, JSON, min_size=1, max_size=5)


def reordered(value: Any) -> Any:
    """The same JSON with the keys of every object the other way round."""
    if isinstance(value, dict):
        return {key: reordered(inner) for key, inner in reversed(value.items())}
    return [reordered(inner) for inner in value] if isinstance(value, list) else value


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the leaves and the empty containers of a JSON value are."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [place for key, part in inner for place in places(part, (*path, key))]
    return found or [path]


def changed(value: Any, path: tuple[Any, ...]) -> Any:
    """The same JSON with one place changed to a value that cannot have been there."""
    if not path:
        return [value, "changed"]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:])
    return copy


@LAW
@given(OBJECT)
def test_a_fingerprint_ignores_key_order(body):
    """Objects are sets of members."""
    assert fingerprint(body) == fingerprint(reordered(body))


@LAW
@given(OBJECT, st.data())
def test_a_fingerprint_notices_every_value(body, data):
    """Whatever place of a body changes, its name changes."""
    place = data.draw(st.sampled_from(places(body)))
    assert fingerprint(body) != fingerprint(changed(body, place))


@LAW
@given(OBJECT, TEXT)
def test_a_fingerprint_notices_every_key(body, key):
    """An added member is another body."""
    assert (key in body) == (fingerprint({**body, key: body.get(key, 1)}) == fingerprint(body))


@LAW
@given(OBJECT)
def test_canonical_json_reads_back_as_the_body(body):
    """Canonical JSON is JSON: another library reads it and finds the same values."""
    assert json.loads(canonical(body), parse_int=float) == body  # JCS writes 5.6e16 without a point


def test_canonical_json_is_that_of_the_rfc():
    """The example of RFC 8785, section 3.2.2."""
    body = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": '\u20ac$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(body) == expected.encode()


def test_keys_are_sorted_by_utf_16_code_units():
    """RFC 8785, section 3.2.3: U+1F600 is written with surrogates, which sort before U+FB33."""
    assert canonical({"\ufb33": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ufb33":1}'.encode()


def test_a_fingerprint_is_the_sha256_of_canonical_json():
    """Anybody can recompute it with two standard tools."""
    assert fingerprint({"b": 1, "a": "\u00e9"}) == hashlib.sha256('{"a":"\u00e9","b":1}'.encode()).hexdigest()


def test_sha256_of_nothing_is_the_published_value():
    """FIPS 180-4's value for the empty message."""
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(float("nan"), id="nan"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param(2**53, id="beyond 2**53 - 1"),
        pytest.param(-(2**53), id="below -(2**53 - 1)"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param({1}, id="set"),
        pytest.param({1: "a"}, id="key that is no string"),
        pytest.param({"\udfff": "a"}, id="key with a lone surrogate"),
        pytest.param(object(), id="object"),
    ],
)
def test_what_has_no_canonical_form_is_unfit(value):
    """A value that JSON cannot say exactly never gets a name, wherever it hides."""
    with pytest.raises(Unfit, match="no canonical JSON"):
        fingerprint({"deep": [{"inside": value}]})


def test_the_largest_exact_integers_are_fit():
    """2**53 - 1 is the last integer that every JSON reader takes exactly."""
    assert canonical([2**53 - 1, 1 - 2**53]) == b"[9007199254740991,-9007199254740991]"


def test_canonical_json_alone_does_not_tell_one_from_one_point_zero():
    """Which of the two is meant is fixed by record types; `test_records` shows it."""
    assert (canonical(1), canonical((1, 2))) == (canonical(1.0), canonical([1, 2]))
