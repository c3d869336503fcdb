"""The guard: a manifest draft is complete, holds nothing that belongs behind a boundary, and its splits are apart.

Takes    a manifest draft as plain data, of any shape and with any wrong type in it.
Gives    nothing; returning is the permission to freeze.
Refuses  with one Refusal that names every missing field, every forbidden one at any depth, and every leaked id, sorted.
Source   DESIGN.md, "Records" and "The seven stages", freeze; fourth seed (fields that a contract leaves out).

Rules, all of them always read:
1. Every field of tasks.records.manifest.REQUIRED is there and not empty.
2. No key, at any depth and in any spelling, is a decision, a patch that is known, or a sealed outcome.
3. No id is in two splits or twice in one; every id has a group and a revision.
4. No group and no case revision is shared between splits.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.records.errors import Refusal
from tasks.records.manifest import REQUIRED

SPLITS = ("train", "dev", "holdout")
FORBIDDEN = (
    "promotion_decision",
    "human_decision",
    "human_approval",
    "operator_decision",
    "activation_decision",
    "gold_patch",
    "control_patch",
    "known_patch",
    "known_bad",
    "wrong_patch",
    "reference_patch",
    "hidden_outcome",
    "hidden_result",
    "hidden_test",
    "validation_outcome",
    "holdout_score",
    "holdout_outcome",
    "canary",
    "sealed",
)
_FORBIDDEN = tuple(name.replace("_", "") for name in FORBIDDEN)
_BY_CASE = ("case_revisions", "case_groups")  # their keys are ids, not fields


def guard(draft: Mapping[str, Any]) -> None:
    """Raises Refusal, in one line, with all that is wrong with the draft."""
    if not isinstance(draft, Mapping):
        raise Refusal(f"manifest refused: expected a table of fields, got {type(draft).__name__}")
    problems = sorted({*missing_fields(draft), *forbidden_fields(draft), *leaks(draft)})
    if problems:
        raise Refusal(f"manifest refused: {'; '.join(problems)}")


def missing_fields(draft: Mapping[str, Any]) -> list[str]:
    """Absent, None, or empty where something has to be."""
    return [f"missing field {name!r}" for name in REQUIRED if _empty(draft.get(name))]


def forbidden_fields(draft: Mapping[str, Any]) -> list[str]:
    """Keys that contain a forbidden name once case, dashes, blanks and underscores are gone."""
    ids = {name for _, name in _ids(draft)}
    return [
        f"forbidden field {path!r}"
        for path, parent, key in _keys(draft)
        if any(name in _squashed(key) for name in _FORBIDDEN) and not (parent in _BY_CASE and key in ids)
    ]


def leaks(draft: Mapping[str, Any]) -> list[str]:
    """Ids, groups and revisions that are on two sides of a boundary, and ids without a group or a revision."""
    problems = [
        f"expected a list of ids in {field!r}, got {type(draft[field]).__name__}"
        for field in map(_ids_field, SPLITS)
        if field in draft and not _is_list(draft[field])
    ]
    seats: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for split, name in _ids(draft):
        seats[_plain(name)].append((split, name))
    for seat in seats.values():
        splits = sorted({split for split, _ in seat})
        if len(splits) > 1:
            problems.append(f"leaked id {seat[0][1]!r} in {' and '.join(splits)}")
        elif len(seat) > 1:
            problems.append(f"repeated id {seat[0][1]!r} in {splits[0]}")
    return problems + [problem for field in _BY_CASE for problem in _shared(draft, field)]


def _shared(draft: Mapping[str, Any], field: str) -> list[str]:
    told, what = draft.get(field), {"case_revisions": "revision", "case_groups": "group"}[field]
    if not isinstance(told, Mapping):
        return [] if told is None else [f"expected a table in {field!r}, got {type(told).__name__}"]
    sides: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    problems = []
    for split, name in _ids(draft):
        value = told.get(name)
        if isinstance(value, str) and value.strip():
            sides[_plain(value)][split].append(name)
        else:
            problems.append(f"id {name!r} has no {what}")
    for value, splits in sides.items():
        names = sorted({name for names in splits.values() for name in names})
        if len(splits) > 1 and len(names) > 1:  # one id in two splits is told as a leaked id
            problems.append(f"{what} {value!r} shared by {' and '.join(sorted(splits))} through {names!r}")
    return problems


def _ids(draft: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for split in SPLITS:
        told = draft.get(_ids_field(split))
        if _is_list(told):
            yield from ((split, name if isinstance(name, str) else repr(name)) for name in told or ())


def _ids_field(split: str) -> str:
    return f"{split}_ids"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _keys(draft: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(dotted path, parent's key, key) of every key; a stack and a seen set, so that no nesting can exhaust it."""
    stack: list[tuple[str, str, object]] = [("", "", draft)]
    seen: set[int] = set()
    while stack:
        path, parent, value = stack.pop()
        if id(value) in seen or not (isinstance(value, Mapping) or _is_list(value)):
            continue
        seen.add(id(value))
        if isinstance(value, Mapping):
            for key, inner in value.items():
                here = f"{path}.{key}" if path else str(key)
                yield here, parent, str(key)
                stack.append((here, str(key), inner))
        else:
            stack.extend((f"{path}[{place}]", parent, inner) for place, inner in enumerate(value))  # type: ignore[arg-type, var-annotated]


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, str | bytes | Mapping | Sequence | set | frozenset) and not value)


def _squashed(key: str) -> str:
    return re.sub(r"[\W_]+", "", _plain(key))


def _plain(text: str) -> str:
    """One spelling for names that a person would take to be the same."""
    return unicodedata.normalize("NFKC", text).casefold().strip()
