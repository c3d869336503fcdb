"""The import law: down only, no room sideways, one library in one place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STAGES = {"freeze", "control", "baseline", "optimize", "audit", "holdout", "recommend"}
JOINING = {"trials", "worker", "attacks"}
ROOMS = {"program", "optimizers", "lm", "workspace", "scoring", "governance", "corpus", "evidence"}
FLOOR = {"records": 0, **dict.fromkeys(ROOMS, 1), **dict.fromkeys(JOINING, 2), **dict.fromkeys(STAGES, 3), "flows": 4}
PLACE = {
    "datasketch": {"corpus"},
    "dspy": {"program", "optimizers", "lm", "worker"},
    "gepa": {"optimizers"},
    "litellm": {"lm"},
    "mlflow": {"evidence"},
    "prefect": {"flows", *STAGES},
    "subprocess": {"workspace", "worker", "corpus", "flows/servers.py"},
}
MODULES = sorted(path for package in ("flows", "tasks") for path in (ROOT / package).rglob("*.py"))


def room_of(parts: tuple[str, ...]) -> str:
    """`tasks/scoring/x.py` -> scoring, `tasks/audit.py` -> audit, `flows/cli.py` -> flows."""
    return parts[0] if parts[0] != "tasks" or len(parts) == 1 else parts[1].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield from (f"{module}.{alias.name}" if module in {"tasks", "flows"} else module for alias in node.names)


def broken(path: Path) -> Iterator[str]:
    """Every sentence of the law that this file breaks."""
    parts = path.relative_to(ROOT).parts
    here = room_of(parts)
    for name in imported(path):
        top, *rest = name.split(".")
        if top in {"tasks", "flows"}:
            there = room_of((top, *rest))
            if there in {"tasks", here} or here in {"tasks", "__init__"}:
                continue
            down = FLOOR[there] < FLOOR[here] or (FLOOR[there] == FLOOR[here] == FLOOR["trials"])
            if not down:
                yield f"{'/'.join(parts)} imports {name}: {here} may not reach {there}"
        elif top in PLACE and not PLACE[top] & {here, "/".join(parts)}:
            yield f"{'/'.join(parts)} imports {top}, which belongs in {sorted(PLACE[top])}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_from_the_floors_below(path):
    """No file of flows/ or tasks/ breaks the import law."""
    assert list(broken(path)) == []


def test_the_top_level_is_the_customers():
    """Beside dotfiles and the licence, the checkout holds exactly the names that the customer fixed."""
    fixed = {"pyproject.toml", "flows", "tasks", "manifests", "datasets", "tests", "README.md", "LICENSE"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - {"uv.lock"} == fixed


def test_datasets_is_no_package():
    """An `__init__.py` in datasets/ would shadow the library of that name."""
    assert not list((ROOT / "datasets").glob("*.py"))
