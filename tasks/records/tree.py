"""Source trees as values: a sorted list of (path, mode, content)."""

from functools import cached_property
from typing import Literal, Self

from pydantic import model_validator

from tasks.records.base import Record
from tasks.records.fingerprint import fingerprint, sha256

Mode = Literal["100644", "100755"]


class SourceFile(Record):
    """One regular file; `path` is relative, NFC, with forward slashes."""

    path: str
    mode: Mode = "100644"
    content: bytes

    @property
    def text(self) -> str:
        """The content as text; undecodable bytes become U+FFFD."""
        return self.content.decode("utf-8", errors="replace")


class SourceTree(Record):
    """An immutable tree of files, sorted by path."""

    files: tuple[SourceFile, ...]

    @model_validator(mode="after")
    def _sorted_and_distinct(self) -> Self:
        paths = [file.path for file in self.files]
        if paths != sorted(set(paths)):
            raise ValueError("files must be sorted by path and distinct")
        return self

    @classmethod
    def of(cls, files: dict[str, str | bytes]) -> Self:
        """A tree of plain files from {path: content}."""
        made = (
            SourceFile(path=path, content=content.encode() if isinstance(content, str) else content)
            for path, content in sorted(files.items())
        )
        return cls(files=tuple(made))

    @cached_property
    def by_path(self) -> dict[str, SourceFile]:
        return {file.path: file for file in self.files}

    @cached_property
    def fingerprint(self) -> str:
        """sha256 over the sorted (path, mode, sha256 of content) list; 64 hex digits."""
        return fingerprint([[file.path, file.mode, sha256(file.content)] for file in self.files])

    def overlaid(self, top: "SourceTree") -> "SourceTree":
        """This tree with every file of `top` added or put in the place of its namesake."""
        merged = {**self.by_path, **top.by_path}
        return SourceTree(files=tuple(merged[path] for path in sorted(merged)))
