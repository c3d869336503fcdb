"""Laws of the guard and of the leakage checks."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tasks.governance.guard import guard
from tasks.governance.leakage import copied, host_paths
from tasks.records.errors import Refusal
from tasks.records.manifest import REQUIRED
from tests.governance.making import MANIFEST

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    max_leaves=12,
)
WORD = st.text("abcdefgh", min_size=3, max_size=8)


@given(st.dictionaries(st.sampled_from(REQUIRED) | st.text(), JSON, max_size=8))
def test_the_guard_passes_or_refuses_in_one_line(fields: dict[str, Any]) -> None:
    """Whatever the types, never a traceback and never a second line."""
    try:
        guard(MANIFEST.body() | fields)
    except Refusal as refusal:
        assert len(str(refusal).splitlines()) == 1  # noqa: PT017


@given(st.sets(st.sampled_from(REQUIRED), min_size=1))
def test_the_guard_names_every_missing_field(gone: set[str]) -> None:
    """All of them in one error."""
    try:
        guard({name: value for name, value in MANIFEST.body().items() if name not in gone})
    except Refusal as refusal:
        assert all(f"missing field {name!r}" in str(refusal) for name in gone)  # noqa: PT017
    else:
        raise AssertionError(f"nothing was said about {gone}")


@given(st.lists(WORD, max_size=20), st.lists(WORD, min_size=8, max_size=12), st.lists(WORD, max_size=20))
def test_a_copied_run_is_found_wherever_it_stands(head: list[str], run: list[str], tail: list[str]) -> None:
    """Eight words of a source are found between any others, in capitals and with commas."""
    text = ", ".join([*head, *run, *tail]).upper()
    assert [name for name, _ in copied(text, {"case": " ".join(run)})] == ["case"]


@given(st.lists(WORD, max_size=30))
def test_known_text_is_never_a_copy(words: list[str]) -> None:
    """What the seed said is free to say again."""
    text = " ".join(words)
    assert copied(text, {"case": text}, known=[text]) == ()


@given(WORD, WORD)
def test_a_home_path_is_found_in_quotes_and_brackets(user: str, name: str) -> None:
    """Punctuation around a path does not hide it."""
    path = f"/home/{user}/{name}.py"
    for text in (path, f"'{path}'", f"({path})", f"at {path}:12", f"x={path}"):
        assert host_paths(text) == (path,)
