"""The store: what is put comes back exactly, or not at all."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.records.errors import Damaged, Refusal, Stopped
from tasks.records.evidence import EvidencePacket, Observation, ToolCall
from tasks.records.fingerprint import Unfit
from tasks.records.scorecard import Component
from tasks.records.tree import SourceTree
from tasks.records.verdict import Check

LAW = settings(max_examples=25, deadline=None)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CALLS = st.builds(ToolCall, tool=TEXT, arguments=st.dictionaries(TEXT, TEXT | st.integers(0, 9), max_size=3))
PACKETS = st.builds(
    EvidencePacket,
    request=TEXT,
    observations=st.lists(st.builds(Observation, call=CALLS, output=TEXT, truncated=st.booleans()), max_size=3),
)
TREES = st.dictionaries(st.sampled_from(["a.py", "b/c.py"]), st.binary(max_size=9)).map(SourceTree.of)
CALL = ToolCall(tool="read_file", arguments={"path": "a.py", "line": 1})


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A store that examples of a law share."""
    return EvidenceStore(Home.open(tmp_path_factory.mktemp("laws") / "state"))


def objects(home):
    """The files of a store."""
    return [path for path in home.objects.rglob("*") if path.is_file()]


@LAW
@given(packet=PACKETS)
def test_a_record_comes_back_as_it_was_put(shared, packet):
    """put and get are each other's reverse, and the name is the record's own."""
    assert shared.put(packet) == packet.fingerprint
    assert shared.get(packet.fingerprint, EvidencePacket) == packet


@LAW
@given(tree=TREES)
def test_a_tree_is_kept_under_the_name_that_it_gives_itself(shared, tree):
    """A tree's name is not the hash of its body, and still finds it."""
    assert shared.put(tree) == tree.fingerprint
    assert shared.get(tree.fingerprint, SourceTree) == tree


@LAW
@given(content=st.binary(max_size=99))
def test_bytes_come_back_as_they_were_put(shared, content):
    """Any bytes at all."""
    assert shared.get_bytes(shared.put_bytes(content)) == content


@pytest.mark.parametrize("record", [CALL, SourceTree.of({"a.py": b"x = 1\n"})], ids=["record", "tree"])
def test_every_flipped_byte_is_noticed(store, home, record):
    """Each byte of an object in turn; none is slack."""
    fingerprint = store.put(record)
    (path,) = objects(home)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(Damaged, match=fingerprint):
            store.get(fingerprint, type(record))


@pytest.mark.parametrize("record", [CALL, SourceTree.of({"a.py": b"x = 1\n"})], ids=["record", "tree"])
def test_every_truncation_is_noticed(store, home, record):
    """Half an object, or none of it, is no object."""
    fingerprint = store.put(record)
    (path,) = objects(home)
    whole = path.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(Damaged, match=fingerprint):
            store.get(fingerprint, type(record))


def test_a_tree_in_another_form_is_noticed(store, home):
    """The same tree with a space in its JSON is not what was put."""
    fingerprint = store.put(SourceTree.of({"a.py": b""}))
    (path,) = objects(home)
    path.write_bytes(path.read_bytes().replace(b'":"', b'": "', 1))
    with pytest.raises(Damaged, match="does not read back"):
        store.get(fingerprint, SourceTree)


def test_a_missing_object_is_damage_that_says_what_to_do(store):
    """One line: the object, its place, the remedy."""
    with pytest.raises(Damaged, match=r"^object a{64} cannot be read: .*; delete '.*' and run the same again.*$"):
        store.get("a" * 64, ToolCall)


def test_an_object_of_another_type_is_refused_by_name(store):
    """A check is no tool call, whatever their bodies look like."""
    fingerprint = store.put(Check(name="n", passed=True, detail=""))
    with pytest.raises(Damaged, match="is no ToolCall: it is a Check"):
        store.get(fingerprint, ToolCall)


def test_bytes_that_look_like_a_record_of_another_version_are_refused(store):
    """The hash is right, but a field that this version knows is missing."""
    fingerprint = store.put_bytes(b'{"body":{"name":"n","passed":true},"record":"Check"}')
    with pytest.raises(Damaged, match="is no Check"):
        store.get(fingerprint, Check)


@pytest.mark.parametrize("name", ["../../etc/passwd", "A" * 64, "a" * 63, "", f"{'a' * 64}\n"])
def test_what_is_no_fingerprint_reaches_no_file(store, name):
    """A name is 64 hex digits, so no name leaves the folder."""
    with pytest.raises(Refusal, match="is no fingerprint"):
        store.get_bytes(name)


def test_a_record_without_canonical_form_is_not_kept(store, home):
    """Nothing lies on disk under a name that cannot be recomputed."""
    with pytest.raises(Unfit):
        store.put(ToolCall(tool="t", arguments={"line": 2**53}))
    assert objects(home) == []


def test_equal_records_are_one_object(store, home):
    """1 and 1.0 are the same value of a float field."""
    for value in (1, 1.0):
        store.put(Component(name="c", value=value, weight=1, reason=""))
    assert len(objects(home)) == 1


def test_putting_a_damaged_object_again_puts_it_right(store, home):
    """Its name says what belongs there."""
    fingerprint = store.put(CALL)
    objects(home)[0].write_bytes(b"")
    store.put(CALL)
    assert store.get(fingerprint, ToolCall) == CALL


def test_objects_are_sharded_by_two_digits(store, home):
    """No folder grows without bound."""
    fingerprint = store.put(CALL)
    assert [path.relative_to(home.objects).as_posix() for path in objects(home)] == [
        f"{fingerprint[:2]}/{fingerprint[2:]}"
    ]


def test_threads_may_put_the_same_records_at_once(store, home):
    """Every thread is given the right name, and no temporary file is left."""
    calls = [ToolCall(tool="t", arguments={"line": line % 8}) for line in range(64)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(store.put, calls))
    assert names == [call.fingerprint for call in calls]
    assert len(objects(home)) == 8


PUTTING = """
import sys
from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tasks.records.evidence import ToolCall
store = EvidenceStore(Home.open(sys.argv[1]))
print("ready", flush=True)
for line in range(int(sys.argv[2])):
    store.put(ToolCall(tool="t" * 5000, arguments={"line": line}))
"""


def test_processes_may_put_the_same_records_at_once(store, home, python):
    """Three writers of the same fifty objects leave fifty whole objects."""
    writers = [python(PUTTING, home.root, 50) for _ in range(3)]
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    read = [store.get(path.parent.name + path.name, ToolCall).arguments["line"] for path in objects(home)]
    assert (errors, sorted(read)) == (["", "", ""], list(range(50)))


def test_a_killed_writer_leaves_only_whole_objects(store, home, python):
    """Whatever has a name is whole; what was being written has none."""
    with python(PUTTING, home.root, 100_000) as writer:
        writer.stdout.readline()
        while len(objects(home)) < 20:
            pass
        writer.kill()
        writer.communicate(timeout=60)
    named = [path for path in objects(home) if not path.name.startswith(".tmp-")]
    assert all(store.get(path.parent.name + path.name, ToolCall) for path in named)


def test_an_interrupted_write_leaves_nothing(store, home, monkeypatch):
    """Ctrl-C after the bytes and before they are safe: neither the object nor its temporary file is there."""

    def interrupt(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.put(CALL)
    assert objects(home) == []


def test_a_full_disk_stops_the_run_in_one_line(store, monkeypatch):
    """The disk is not the experiment's fault, and the same command picks the run up."""

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(Stopped, match=r"^cannot write '.*': No space left on device; .*run the same again$"):
        store.put(CALL)


def test_a_sidecar_keeps_what_no_hash_covers(store, home):
    """Times and hosts lie beside the object and change neither it nor its name."""
    fingerprint = store.put(CALL)
    store.sidecar(fingerprint, {"seconds": 1.5, "host": "st\u00e4tion"})
    assert store.read_sidecar(fingerprint) == {"seconds": 1.5, "host": "st\u00e4tion"}
    assert store.get(fingerprint, ToolCall) == CALL


@pytest.mark.parametrize("content", [b"", b'{"seconds": 1', b"[]", b"\xff"])
def test_an_unreadable_sidecar_is_an_empty_one(store, home, content):
    """No result depends on it."""
    store.sidecar("a" * 64, {"seconds": 1.5})
    next(path for path in home.sidecars.rglob("*") if path.is_file()).write_bytes(content)
    assert store.read_sidecar("a" * 64) == {}


def test_no_object_is_anything_but_json_or_the_bytes_given(store, home):
    """No pickle: an object is canonical JSON that names its type and nothing that loads."""
    store.put(CALL)
    assert json.loads(objects(home)[0].read_bytes()) == {"record": "ToolCall", "body": CALL.body()}
