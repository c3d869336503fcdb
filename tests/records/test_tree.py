"""Source trees: values that name themselves by (path, mode, content hash)."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tasks.records.tree import SourceFile, SourceTree

LAW = settings(max_examples=50, deadline=None)
FILES = st.dictionaries(st.sampled_from(["a.py", "b.py", "c/d.py"]), st.binary(max_size=4))
EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_tree_is_named_by_its_sorted_list():
    """The list is written out by hand here."""
    listed = f'[["a.py","100644","{EMPTY_SHA256}"]]'.encode()
    assert SourceTree.of({"a.py": b""}).fingerprint == hashlib.sha256(listed).hexdigest()


@LAW
@given(FILES, FILES)
def test_trees_are_equal_exactly_when_their_names_are(one, other):
    """A tree's name covers paths and contents."""
    assert (one == other) == (SourceTree.of(one).fingerprint == SourceTree.of(other).fingerprint)


def test_a_name_notices_the_mode():
    """A file that became executable is another tree."""
    trees = [SourceTree(files=(SourceFile(path="a", mode=mode, content=b""),)) for mode in ("100644", "100755")]
    assert trees[0].fingerprint != trees[1].fingerprint


@LAW
@given(FILES)
def test_any_bytes_read_back_from_json(files):
    """Contents that are no text survive."""
    tree = SourceTree.of(files)
    assert SourceTree.model_validate_json(tree.model_dump_json()) == tree


@pytest.mark.parametrize("paths", [["b", "a"], ["a", "a"]])
def test_files_out_of_order_or_twice_are_refused(paths):
    """One tree has one form."""
    with pytest.raises(ValidationError, match="sorted by path and distinct"):
        SourceTree(files=tuple(SourceFile(path=path, content=b"") for path in paths))


@LAW
@given(FILES, FILES)
def test_the_top_tree_of_an_overlay_wins(below, top):
    """An overlay is a dictionary merge."""
    assert SourceTree.of(below).overlaid(SourceTree.of(top)) == SourceTree.of({**below, **top})


def test_undecodable_content_is_shown_with_replacement_characters():
    """A model is shown text whatever the file holds."""
    assert SourceFile(path="a", content=b"a\xffb").text == "a\ufffdb"
