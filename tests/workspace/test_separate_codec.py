"""The wire itself: what two sides that talk to each other keep, and what they refuse."""

import collections
import copy
import datetime as dt
import decimal
import fractions
import json
import math
import os
import pathlib
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.workspace.separate.codec import MAX_DEPTH, MAX_VALUES, Codec
from tasks.workspace.separate.frames import MAX_FRAME_BYTES, Closed, Refused, receive, send
from tasks.workspace.separate.material import is_material
from tasks.workspace.separate.stdlib import name_of, named, nearest_error

UTC_OFFSETS = st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary(max_size=20),
    st.complex_numbers(allow_nan=False), st.decimals(allow_nan=False), st.fractions(), st.dates(), st.times(),
    st.datetimes(timezones=st.none() | UTC_OFFSETS), st.timedeltas(), st.uuids(),
    st.text("ab/", max_size=5).map(pathlib.PurePosixPath), st.characters(categories=["Cs"]),
)  # fmt: skip
HASHABLE = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple),
        st.lists(inner, max_size=4).map(collections.deque), st.frozensets(HASHABLE, max_size=4),
        st.dictionaries(HASHABLE, inner, max_size=4), st.sets(HASHABLE, max_size=4),
        st.binary(max_size=5).map(bytearray), st.dictionaries(HASHABLE, inner, max_size=3).map(collections.OrderedDict),
    ),
    max_leaves=15,
)  # fmt: skip


class Pair:
    """Two sides without a process between them."""

    def __init__(self):
        self.one, self.two = Codec(1), Codec(2)

    def over(self, value):
        """The value as the second side sees it."""
        return self._cross(self.one, self.two, value)

    def back(self, value):
        return self._cross(self.two, self.one, value)

    @staticmethod
    def _cross(sender, reader, value):
        message = json.loads(json.dumps(sender.write(value=value)))
        reader.read(message)
        made = reader.decode(message["value"])
        reader.forgotten(message)
        return made


@given(VALUES)
def test_a_value_crosses_as_itself(value):
    """Equal, of exactly its type all the way down, and equal again when it comes back."""
    pair = Pair()
    seen = pair.over(value)
    assert (repr(value), type(value)) == (repr(seen), type(seen)) or value == seen
    assert pair.back(seen) == value


@given(VALUES.filter(lambda value: isinstance(value, list | dict | set | collections.deque | bytearray)))
def test_a_container_that_comes_back_is_the_same_object(value):
    """And nothing in it has changed."""
    pair = Pair()
    before = copy.deepcopy(value)  # not its text: a set that is made anew may say the same in another order
    assert pair.back(pair.over(value)) is value
    assert before == value


def test_types_are_kept_where_values_are_equal():
    """1, 1.0 and True are equal, and three things."""
    value = (1, 1.0, True, 0.0, -0.0, decimal.Decimal("1.0"), fractions.Fraction(1))
    seen = Pair().over(value)
    assert [type(each) for each in value] == [type(each) for each in seen]
    assert [math.copysign(1, each) for each in seen[3:5]] == [1, -1]
    assert math.isnan(Pair().over(math.nan))


def test_changes_on_either_side_reach_the_other():
    """As if there were one list."""
    pair, xs = Pair(), [1, [2]]
    seen = pair.over(xs)
    seen[1].append(3)
    seen.append(True)
    pair.back(None)
    assert [1, [2, 3], True] == xs
    xs[1].clear()
    pair.over(None)
    assert [1, [], True] == seen
    xs[2] = 1
    pair.over(None)
    assert [int, list, int] == [type(each) for each in seen]


def test_what_one_side_cannot_reach_is_forgotten_by_both():
    """A thousand arguments leave nothing behind."""
    pair, xs = Pair(), [1]
    for _ in range(1_000):
        pair.over([xs])
    pair.back(None)
    pair.over(None)
    assert ({}, {}) == (pair.two.shared, pair.one.shared)


def test_a_refusal_leaves_no_trace():
    """The next message is as if it had never been tried."""
    pair = Pair()
    xs = [object()]
    with pytest.raises(Refused, match="object"):
        pair.over([1, xs])
    assert {} == pair.one.shared
    assert pair.over([1]) == [1]


class Liar(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    "value",
    [[Liar(1)], [object()], [(1, {2: Liar(3)})], [1 << 70_000], [0] * MAX_VALUES],
    ids=["liar", "object", "deep liar", "long", "many"],
)
def test_what_is_no_plain_value_is_refused(value):
    """A subclass may answer as it likes; size is bounded."""
    with pytest.raises(Refused):
        Codec(1).write(value=value)


def test_depth_is_bounded():
    """In tuples; containers are told one by one."""
    deep = ()
    for _ in range(MAX_DEPTH + 1):
        deep = (deep,)
    with pytest.raises(Refused):
        Codec(1).write(value=deep)


@pytest.mark.parametrize(
    "written",
    [["pass"], [], [1], {}, {"l": []}, ["t"], ["t", 5], ["r", 99], ["i", "five"], ["i", 5], ["v", "os", "system", "x"],
     ["v", "builtins", "float", "wide"], ["v", "decimal", "Decimal", "x"], 1.5, ["slice", []]],
)  # fmt: skip
def test_what_no_honest_side_writes_gives_no_value(written):
    """Whatever it raises, the reader takes any of it for a malformed answer."""
    with pytest.raises((Refused, Exception)):
        Codec(1).decode(written)


@pytest.mark.parametrize("shared", [[[1, "l", []]], [[2, "x", []]], [["2", "l", []]], [[2, "l"]], 5, [[2, "d", [1]]]])
def test_a_reader_shares_only_what_it_may(shared):
    """Its own numbers are its own, kinds are from the list."""
    with pytest.raises((Refused, Exception)):
        Codec(1).read({"shared": shared})


def test_a_container_keeps_its_type():
    """A list that the test holds does not become a dictionary."""
    pair, xs = Pair(), [1]
    pair.over(xs)
    with pytest.raises(Refused, match="type"):
        pair.one.read({"shared": [[1, "d", []]]})


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_frame_crosses_a_pipe(pipe):
    """Lone surrogates too, which no UTF-8 has."""
    send(pipe[1], {"a": ["\udc80", 2**53]})
    assert {"a": ["\udc80", 2**53]} == receive(pipe[0])


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b"\xff", b'{"a": 1.5}', b'{"a": NaN}', b'{"a": 1e9}', b"[" * 9_000,
                                  b'{"a": ' + b"9" * 5_000 + b"}"])  # fmt: skip
def test_a_frame_that_is_no_message_is_refused(pipe, body):
    """No floats, no digits without end, no nesting without end."""
    os.write(pipe[1], len(body).to_bytes(4, "big") + body)
    with pytest.raises(Refused):
        receive(pipe[0])


def test_a_length_is_judged_before_it_is_believed(pipe):
    """Nothing is read for it."""
    os.write(pipe[1], (MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(Refused, match="bytes"):
        receive(pipe[0])


def test_half_a_frame_and_silence_are_the_end():
    """Not a value."""
    for content in (b"", b"\0\0", b"\0\0\0\4{"):
        reader, writer = os.pipe()
        os.write(writer, content)
        os.close(writer)
        with pytest.raises(Closed):
            receive(reader)
        os.close(reader)


@pytest.mark.parametrize("name", [
    ("builtins", "SystemExit"), ("builtins", "KeyboardInterrupt"), ("builtins", "BaseException"), ("builtins", "eval"),
    ("unittest.case", "SkipTest"), ("_pytest.outcomes", "Skipped"), ("os", "system"), ("subprocess", "Popen"),
    ("builtins", "Exception.__init__"), ("subprocess", "os.system"),
])  # fmt: skip
def test_no_name_that_steers_a_runner_or_runs_anything_is_known(name):
    """Exceptions that are Exceptions, value types, sentinels: nothing else crosses by name."""
    with pytest.raises(Refused):
        named(*name)


def test_names_of_types_and_exceptions_find_their_way_back():
    """Each side its own."""
    for known in (int, ValueError, dt.date, decimal.InvalidOperation, uuid.UUID, NotImplemented, KeyError):
        assert named(*name_of(known)) is known
    assert (ValueError, None) == (nearest_error(type("Own", (ValueError,), {})), nearest_error(SystemExit))


@pytest.mark.parametrize(("path", "expected"), [
    ("tests/data.csv", True), ("pkg/tests/x.py", True), ("test_x.py", True), ("a/x_test.py", True),
    ("a/conftest.py", True), ("pkg/testing.py", False), ("pkg/contest.py", False), ("test_data.csv", False),
    ("README.md", False),
])  # fmt: skip
def test_material_is_told_by_its_place_or_its_name(path, expected):
    """As pytest finds tests."""
    assert expected == is_material(path)
