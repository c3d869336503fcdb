"""The guard names all that is wrong with a draft, in one line."""

from typing import Any

import pytest

from tasks.governance.guard import guard
from tasks.records.errors import Refusal
from tasks.records.manifest import REQUIRED
from tests.governance.making import MANIFEST


def refusal(body: Any) -> str:
    with pytest.raises(Refusal) as caught:
        guard(body)
    return str(caught.value)


def changed(**fields: Any) -> dict[str, Any]:
    return MANIFEST.body() | fields


def test_a_manifest_in_order_passes() -> None:
    """Nothing is raised."""
    guard(MANIFEST.body())


@pytest.mark.parametrize("name", REQUIRED)
def test_each_field_is_missed(name: str) -> None:
    """Without it, with None, the guard names the field."""
    without = {key: value for key, value in MANIFEST.body().items() if key != name}
    assert f"missing field {name!r}" in refusal(without)
    assert f"missing field {name!r}" in refusal(changed(**{name: None}))


def test_an_empty_draft_misses_everything_in_one_line() -> None:
    """Every field, sorted, one line."""
    expected = "manifest refused: " + "; ".join(sorted(f"missing field {name!r}" for name in REQUIRED))
    assert expected == refusal({})


@pytest.mark.parametrize(
    "name",
    [
        "promotion_decision",
        "Promotion-Decision",
        "promotionDecision",
        "gold_patch",
        "GOLD PATCH",
        "control_patches",
        "hidden_outcomes",
        "hiddenTests",
        "human_decisions",
        "sealed",
        "sealed-nodes",
        "canary",
        "\uff47old_patch",
    ],
)
def test_a_forbidden_field_is_seen_in_any_spelling(name: str) -> None:
    """Case, dashes, blanks, camel case and wide letters hide nothing."""
    assert f"forbidden field {name!r}" in refusal(changed(**{name: 1}))


def test_a_forbidden_field_is_seen_at_any_depth() -> None:
    """Inside tables and lists, with the path to it."""
    deep = changed(runtime_version={"python": [{"x": ({"gold_patch": "diff"},)}]})
    assert "forbidden field 'runtime_version.python[0].x[0].gold_patch'" in refusal(deep)


def test_a_case_may_be_called_sealed() -> None:
    """The keys of the case tables are ids, not fields, if the splits declare them."""
    body = changed(
        train_ids=["sealed-envelope"],
        case_groups={"sealed-envelope": "g1", "b": "g2", "c": "g3"},
        case_revisions={"sealed-envelope": "r1", "b": "r2", "c": "r3"},
    )
    guard(body)
    assert "forbidden field" in refusal(body | {"case_groups": body["case_groups"] | {"sealed_nodes": "g"}})


@pytest.mark.parametrize("field", ["train_ids", "dev_ids"])
def test_a_holdout_id_elsewhere_is_a_leak(field: str) -> None:
    """Named with both splits."""
    split = field.removesuffix("_ids")
    both = " and ".join(sorted([split, "holdout"]))
    assert f"leaked id 'c' in {both}" in refusal(changed(**{field: ["a", "c"]}))


def test_a_leaked_id_is_seen_in_another_letter_case() -> None:
    """'C' in train is the holdout's 'c'."""
    assert "leaked id 'C' in holdout and train" in refusal(changed(train_ids=["C"]))


def test_an_id_twice_in_one_split_is_named() -> None:
    """A repeated case would weigh twice."""
    assert "repeated id 'c' in holdout" in refusal(changed(holdout_ids=["c", "c"]))


def test_a_shared_group_is_named_with_its_splits_and_cases() -> None:
    """Cases of one group stay on one side."""
    groups = {"a": "one", "b": "two", "c": "one"}
    assert "group 'one' shared by holdout and train through ['a', 'c']" in refusal(changed(case_groups=groups))


def test_an_identical_revision_is_named() -> None:
    """The same content under two ids is one case."""
    revisions = {"a": "r1", "b": "r2", "c": "r2"}
    assert "revision 'r2' shared by dev and holdout through ['b', 'c']" in refusal(changed(case_revisions=revisions))


def test_an_id_without_group_or_revision_is_named() -> None:
    """An unknown group is no proof that splits are apart."""
    line = refusal(changed(case_groups={"a": "g"}, case_revisions={"a": "r", "b": "s"}))
    for expected in ("id 'b' has no group", "id 'c' has no group", "id 'c' has no revision"):
        assert expected in line


def test_everything_wrong_is_in_one_sorted_line() -> None:
    """A missing, a forbidden and a leaked one together; names cannot break the line."""
    body = changed(train_ids=["c"], **{"gold_patch\n": 1}, seed=None)
    line = refusal(body)
    assert "\n" not in line
    parts = line.removeprefix("manifest refused: ").split("; ")
    assert parts == sorted(parts)
    assert {part.split(" ")[0] for part in parts} >= {"forbidden", "leaked", "missing"}


@pytest.mark.parametrize("body", [None, 3, "text", [("name", 1)]])
def test_a_draft_that_is_no_table_is_refused(body: object) -> None:
    """The type that was got is named."""
    assert f"expected a table of fields, got {type(body).__name__}" in refusal(body)


def test_a_cycle_and_a_deep_nest_end_in_a_refusal() -> None:
    """No draft can exhaust the walk."""
    nest: dict[str, Any] = {"canary": 1}
    for _ in range(5000):
        nest = {"x": nest}
    nest["self"] = nest
    assert "canary" in refusal(changed(nest=nest))
