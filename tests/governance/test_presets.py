"""Presets: found where we are installed, laid under a spec's own keys, and frozen with their version."""

import tomllib
from pathlib import Path

import pytest

from tasks.freeze import read_spec
from tasks.governance.presets import names, resolved
from tasks.records.errors import Refusal
from tasks.records.spec import Policy
from tests.small import SPEC


def written(tmp_path: Path, policy: str) -> Path:
    """The pilot's spec with another policy table."""
    text = SPEC.read_text(encoding="utf-8")
    start, end = text.index("[policy]"), text.index("[sandbox]")
    path = tmp_path / "spec.toml"
    path.write_text(text[:start] + policy + "\n" + text[end:], encoding="utf-8")
    return path


def test_both_presets_ship_and_the_default_is_what_a_policy_is_without_one() -> None:
    """`paired` and `single`; a Policy made without any key is the preset `paired`."""
    assert names() == ("paired", "single")
    assert Policy.model_validate(resolved({})) == Policy()


def test_presets_are_inside_of_a_package_that_is_installed() -> None:
    """The wheel takes the packages `flows` and `tasks` with all of their files."""
    root = SPEC.parents[1]
    built = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "tasks" in built["packages"]
    assert {path.stem for path in (root / "tasks" / "governance" / "policies").glob("*.toml")} == set(names())


def test_a_spec_names_a_preset_and_overrides_it_key_by_key(tmp_path: Path) -> None:
    """What the spec says differently is told; what it repeats is no change."""
    spec = read_spec(written(tmp_path, '[policy]\npreset = "single"\nmax_failures = 1\nalpha = 0.05'))
    assert (spec.policy.rule, spec.policy.preset, spec.policy.version) == ("single", "single", "1")
    assert (spec.policy.max_failures, spec.policy.overridden) == (1, ("max_failures",))


def test_a_spec_without_a_policy_has_the_default_one(tmp_path: Path) -> None:
    """`paired`, as it ships."""
    assert read_spec(written(tmp_path, "")).policy == Policy()


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ('preset = "lenient"', "policy.preset 'lenient' is none of those that ship: paired, single"),
        ("preset = 3", "policy.preset 3 is none of those that ship"),
        ('version = "9"', "policy.version belongs to a preset"),
        ('rule = "single"', "policy.rule belongs to a preset"),
        ("minimum_efect = 0.1", "'policy.minimum_efect': unknown key"),
        ("sought_effect = 0.01", "must be above minimum_effect"),
    ],
)
def test_what_is_no_policy_is_refused_by_name(tmp_path: Path, policy: str, said: str) -> None:
    """An unknown preset or key, and what only a preset may say."""
    with pytest.raises(Refusal, match=said):
        read_spec(written(tmp_path, f"[policy]\n{policy}"))


def test_a_policy_that_is_no_table_is_refused_with_the_rest_of_the_spec(tmp_path: Path) -> None:
    """`policy = 3` before every table."""
    path = written(tmp_path, "")
    path.write_text("policy = 3\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(Refusal, match="'policy'"):
        read_spec(path)
