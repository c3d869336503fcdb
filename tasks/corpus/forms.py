"""Forms: the shape of the three TOML files of a corpus, and the one line that is said when a file does not have it.

Takes    the path of a TOML file, and the form that it must fill.
Gives    the filled form; every value has exactly the declared type, nothing is coerced and no key is ignored.
Refuses  a missing or unreadable file, an unknown or missing key, a wrong type, a malformed id, path, glob or node id; a
         requirement that is no exact pin.
Source   datasets/README.md, which documents the same format for the people who write cases.
"""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import ErrorDetails

from tasks.records.case import EditAction
from tasks.records.errors import Refusal
from tasks.records.pin import clean_pin, split_pin

MAX_SHOWN = 80


def clean_path(path: str) -> str:
    """The path itself, if it is relative, ASCII, and written in one way only; ValueError otherwise."""
    plain = path.isascii() and path.isprintable() and "\\" not in path and ":" not in path
    if not plain or any(part in {"", ".", ".."} for part in path.split("/")):
        raise ValueError("a relative ASCII path with forward slashes, without empty, '.' or '..' parts")
    return path


def clean_node(node: str) -> str:
    """The node id itself, if it reads path.py::name, with classes and a parameter where there are any."""
    path, *names = re.sub(r"\[[!-~]+\]\Z", "", node).split("::")
    if not names or not path.endswith(".py") or not all(name.isascii() and name.isidentifier() for name in names):
        raise ValueError("a pytest node id such as tests/test_x.py::test_y")
    clean_path(path)
    return node


Text = Annotated[str, StringConstraints(pattern=r"\S")]
CaseId = Annotated[str, StringConstraints(pattern=r"\A[a-z0-9]+(-[a-z0-9]+)*\z")]
Canary = Annotated[str, StringConstraints(pattern=r"\Acanary-[a-z0-9-]+-[0-9a-f]{32}\z")]
Commit = Annotated[str, StringConstraints(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\z")]
RelativePath = Annotated[str, AfterValidator(clean_path)]
NodeId = Annotated[str, AfterValidator(clean_node)]
Nodes = Annotated[list[NodeId], Field(min_length=1)]
Pin = Annotated[str, AfterValidator(clean_pin)]


class Form(BaseModel):
    """Strict, closed and frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SplitsForm(Form):
    train: list[CaseId]
    dev: list[CaseId]
    holdout: list[CaseId]


class OriginForm(Form):
    repository: Text
    commit: Commit
    licence: Text | None = None


class CorpusForm(Form):
    """corpus.toml; that a licence or an origin is missing is told beside what else is found."""

    name: Text
    version: Text
    licence: str = ""
    origin: str = ""
    origins: dict[CaseId, OriginForm] = {}
    looks: Annotated[int, Field(ge=1)]
    splits: SplitsForm


class NodesForm(Form):
    fail_to_pass: Nodes
    pass_to_pass: Nodes

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        nodes = self.fail_to_pass + self.pass_to_pass
        if twice := sorted({node for node in nodes if nodes.count(node) > 1}):
            raise ValueError(f"each node once; {twice[0]!r} is listed twice")
        return self


class CaseForm(Form):
    """cases/<case_id>/case.toml"""

    case_id: CaseId
    group: Text
    issue: Text
    constraints: str
    scope: Annotated[list[RelativePath], Field(min_length=1)]
    public: NodesForm
    requirements: list[Pin] = []

    @model_validator(mode="after")
    def _one_version_each(self) -> Self:
        names = [split_pin(pin)[0] for pin in self.requirements]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"one version of each requirement; {twice[0]!r} is pinned twice")
        return self


class EditForm(Form):
    path: RelativePath
    search: str = ""
    replace: str = ""
    action: EditAction = "replace"

    @model_validator(mode="after")
    def _search_belongs_to_replace(self) -> Self:
        if (self.action == "replace") != bool(self.search):
            raise ValueError(f"a search text for the action 'replace' and for no other; the action is {self.action!r}")
        return self


class ControlForm(Form):
    why: Text
    edits: Annotated[list[EditForm], Field(min_length=1)]


class WrongForm(ControlForm):
    name: CaseId
    passes_public: bool = False


class TruthForm(Form):
    files: Annotated[list[RelativePath], Field(min_length=1)]
    facets: Annotated[list[Annotated[list[Text], Field(min_length=1)]], Field(min_length=1)]
    family: CaseId | None = None


class SealedForm(Form):
    """sealed/<case_id>/sealed.toml"""

    canary: Canary
    nodes: NodesForm
    control: ControlForm
    wrong: Annotated[list[WrongForm], Field(min_length=1)]
    truth: TruthForm


FormT = TypeVar("FormT", bound=Form)


def load(path: Path, form: type[FormT], shown: str) -> FormT:
    """Read a TOML file into a form; `shown` is how a person is told which file it was.

    Raises Refusal, one line.
    """
    try:
        return form.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise Refusal(f"{shown}: expected a readable file, got {type(error).__name__}") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{shown}: expected UTF-8, got other bytes at offset {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"{shown}: expected TOML, got {error}") from error
    except ValidationError as error:
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise Refusal(f"{shown}: {_said(error.errors()[0])}{more}") from error


def _said(error: ErrorDetails) -> str:
    """One validation error as one line: where, expected, got."""
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"expected a key {where!r}, got none"
    if error["type"] == "extra_forbidden":
        return f"expected no key {where!r}, got {shortened(error['input'])}"
    expected = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return f"{where!r}: expected {expected[:1].lower()}{expected[1:]}, got {shortened(error['input'])}"


def shortened(value: object) -> str:
    """The repr of a value, cut to one readable length."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 3] + "..."
