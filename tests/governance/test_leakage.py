"""Text that must stay behind a boundary."""

import pytest

from tasks.governance.leakage import canaries_in, copied, host_paths, named_in

SOURCE = {"case-1": "The total ignores the quantity of every line, and rounds twice."}

SUPERUSER = "root"


def test_a_canary_is_found_in_any_letter_case_and_not_repeated() -> None:
    """The report names text and case, and does not spread the canary."""
    found = canaries_in({"request 4": "... CANARY-Ab12 ...", "request 5": "clean"}, {"case-1": "canary-aB12"})
    assert found == ("canary of 'case-1' in 'request 4'",)


def test_an_empty_canary_is_nowhere() -> None:
    """An empty string is in every text; it marks nothing."""
    assert canaries_in({"t": "text"}, {"c": " "}) == ()


def test_eight_copied_words_are_found_whatever_the_punctuation() -> None:
    """Case, line ends and commas hide nothing."""
    text = "Remember:\nthe TOTAL ignores the quantity; of every - line!"
    assert copied(text, SOURCE) == (("case-1", "the total ignores the quantity of every line"),)


def test_seven_words_are_no_copy() -> None:
    """Seven words in a row are below the declared length."""
    assert copied("total ignores the quantity of every line", SOURCE) == ()


def test_known_words_are_no_copy() -> None:
    """What the seed program said already was not copied from a case."""
    text = SOURCE["case-1"]
    assert copied(text, SOURCE, known=[text]) == ()


def test_an_id_is_found_as_a_whole_name_only() -> None:
    """case-1 is neither case-10 nor in my-case-1."""
    texts = {"t1": "see case-10 and my-case-1", "t2": "as in `CASE-1`:"}
    assert named_in(texts, ["case-1"]) == ("'case-1' named in 't2'",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"opened '/{SUPERUSER}/.netrc'", (f"/{SUPERUSER}/.netrc",)),
        ('File "/home/ada/src/x.py", line 3', ("/home/ada/src/x.py",)),
        ("cwd=/tmp/tmpab12/case", ("/tmp/tmpab12/case",)),
        ("see file:///Users/ada/notes", ("/Users/ada/notes",)),
        ("in /srv/mill/tasks", ("/srv/mill",)),
        ("https://example.com/home/page", ()),
        ("the src/tmp/file and ./tmp/x and ~/tmp/x", ()),
        ("/rooted and /srv/millet", ()),
        ("a path such as /usr/lib/python3", ()),
    ],
)
def test_host_paths_are_told_from_other_paths(text: str, expected: tuple[str, ...]) -> None:
    """Homes, temporary folders and the project itself are this machine's; relative paths and addresses are not."""
    assert expected == host_paths(text, ["/srv/mill"])


def test_a_path_that_the_case_speaks_of_is_allowed() -> None:
    """An issue may say /tmp/upload."""
    assert host_paths("write /tmp/upload", allowed=["/tmp/upload"]) == ()
