"""Material: which files of a tree are tests and their support, and which are code; and words of the two sides."""

from pathlib import PurePosixPath

HEARD, UNHEARD = b'{"kind": "heard"}\n', b'{"kind": "unheard"}\n'
"""The tests' side says once, as a record: the candidate's worker has spoken, or has ended without a word."""
TEST_FOLDERS = frozenset({"test", "tests"})
CODE_FOLDERS = ("src", "")


def is_material(path: str) -> bool:
    """Whether this file serves tests: below a folder of tests, or a test file or conftest by its name."""
    *folders, name = PurePosixPath(path).parts
    if TEST_FOLDERS & set(folders) or name == "conftest.py":
        return True
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
