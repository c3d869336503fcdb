"""Material: which files of a tree are tests and their support, and which are code that a candidate may write."""

from pathlib import PurePosixPath

TEST_FOLDERS = frozenset({"test", "tests"})
CODE_FOLDERS = ("src", "")


def is_material(path: str) -> bool:
    """Whether this file serves tests: below a folder of tests, or a test file or conftest by its name."""
    *folders, name = PurePosixPath(path).parts
    if TEST_FOLDERS & set(folders) or name == "conftest.py":
        return True
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
