"""Paths: one lexical policy for every path that a model or a repository names; no system call is made.

Refuses  what is absolute, leaves the root, is version control, is not NFC, or carries control or format characters.
Source   DESIGN.md, "Tool boundary".
"""

import re
import unicodedata
from fnmatch import fnmatchcase

MAX_PATH_BYTES, MAX_COMPONENT_BYTES, MAX_DEPTH = 1024, 255, 64

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
# What runs, or redirects what runs, by merely lying there. No case has a reason to open these.
LOADED_FILES = (
    "sitecustomize.py", "usercustomize.py", "pyvenv.cfg", "*.pth", "*.pyc", "*.pyo", ".gitattributes", ".gitmodules",
)  # fmt: skip
LOADED_FOLDERS = ("__pycache__", "*.dist-info", "*.egg-info")
# What configures pytest, the build or version control; an edit to one of these would judge itself.
CONTROL_FILES = (
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini",
    "tox.toml", "setup.py", "noxfile.py", "makefile", "gnumakefile", "justfile", "manifest.in", "hatch.toml",
    "hatch_build.py", "meson.build", "cmakelists.txt", "requirements*.txt", "constraints*.txt", "pipfile*", "uv.lock",
    "poetry.lock", "pdm.lock", ".coveragerc", ".git*",
)  # fmt: skip
CONTROL_FOLDERS = (".git*", ".ci", ".circleci")
TEST_FILES = ("test_*.py", "*_test.py", "tests.py", "test.py")
TEST_FOLDERS = ("test", "tests")


def _has_bad_character(path: str) -> bool:
    return any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in path)


def _component_fault(component: str) -> str | None:
    if component in {"", ".", ".."}:
        return "an empty, `.` or `..` component"
    if len(component.encode()) > MAX_COMPONENT_BYTES:
        return "a component longer than 255 bytes"
    if component.rstrip(". ") != component:
        return "a component that ends in a dot or a space"
    return "a version control folder" if _is_version_control(component) else None


def _is_version_control(component: str) -> bool:
    """Also as other file systems spell it: `git~1` is `.git` on FAT and NTFS, `.git::$INDEX_ALLOCATION` a stream of it.

    Compatibility forms (a full-width dot) are the same name nowhere known, and are what nobody needs.
    """
    stem = unicodedata.normalize("NFKC", component).casefold().partition(":")[0].rstrip(". ")
    return stem in VERSION_CONTROL or re.fullmatch(r"git~\d+", stem) is not None


def fault(path: object) -> str | None:
    """What is wrong with `path` as a path below a root, as the end of "the path has ..."; None if nothing is."""
    if not isinstance(path, str) or not path:
        return "no characters, or is no string"
    if _has_bad_character(path):
        return "control or format characters"
    if len(path.encode()) > MAX_PATH_BYTES:
        return "more than 1,024 bytes"
    if unicodedata.normalize("NFC", path) != path:
        return "characters that are not in Unicode form NFC"
    return _form_fault(path, path.split("/"))


def _form_fault(path: str, components: list[str]) -> str | None:
    if path.startswith("/") or "\\" in path or path[1:2] == ":":
        return "an absolute form, a drive or a backslash"
    if len(components) > MAX_DEPTH:
        return "more than 64 components"
    return next(filter(None, map(_component_fault, components)), None)


def protection(path: str, *, named: bool) -> str | None:
    """Why a file at `path` may not be edited, as an observation for a program; None if it may.

    `named`: the case or the caller opens this very file, which admits tests and configuration, never what is loaded.
    """
    if _is_any(path, LOADED_FILES, LOADED_FOLDERS):
        return "this file would be loaded or would redirect what is; it can never be edited"
    if named:
        return None
    if _is_any(path, CONTROL_FILES, CONTROL_FOLDERS):
        return "this file configures the tests or the build and is protected; change the code under test instead"
    if _is_any(path, TEST_FILES, TEST_FOLDERS):
        return "this is a test or its data and is protected; change the code under test instead"
    return None


def _is_any(path: str, files: tuple[str, ...], folders: tuple[str, ...]) -> bool:
    *above, name = path.casefold().split("/")
    in_folder = any(fnmatchcase(folder, pattern) for folder in above for pattern in folders)
    return in_folder or any(fnmatchcase(name, pattern) for pattern in files + folders)
