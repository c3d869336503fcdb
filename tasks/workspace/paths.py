"""Paths: one lexical policy for every path that a model or a repository names; no system call is made.

Refuses  what is absolute, leaves the root, is version control, is not NFC, or carries control or format characters.
Source   DESIGN.md, "Tool boundary".
"""

import unicodedata
from fnmatch import fnmatchcase

MAX_PATH_BYTES, MAX_COMPONENT_BYTES, MAX_DEPTH = 1024, 255, 64

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
# What configures Python or pytest by merely lying there; an edit to one of these would judge itself.
CONTROL_FILES = (
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini",
    "sitecustomize.py", "usercustomize.py", "pyvenv.cfg", "*.pth", "*.pyc", "*.pyo", ".git*",
)  # fmt: skip
CONTROL_FOLDERS = ("__pycache__", "*.dist-info", "*.egg-info", ".git*")


def _has_bad_character(path: str) -> bool:
    return any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in path)


def _component_fault(component: str) -> str | None:
    if component in {"", ".", ".."}:
        return "an empty, `.` or `..` component"
    if len(component.encode()) > MAX_COMPONENT_BYTES:
        return "a component longer than 255 bytes"
    if component.rstrip(". ") != component:
        return "a component that ends in a dot or a space"
    return "a version control folder" if component.casefold() in VERSION_CONTROL else None


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


def is_control(path: str) -> bool:
    """Whether a file at `path` could configure Python, pytest or version control."""
    *folders, name = path.casefold().split("/")
    in_folder = any(fnmatchcase(folder, pattern) for folder in folders for pattern in CONTROL_FOLDERS)
    return in_folder or any(fnmatchcase(name, pattern) for pattern in CONTROL_FILES + CONTROL_FOLDERS)
