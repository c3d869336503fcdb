"""A small corpus in order, written to disk, and a plain ingest; each test spoils one thing about it."""

from pathlib import Path

from tasks.corpus.reading import read_corpus
from tasks.records.case import Corpus
from tasks.records.tree import SourceTree

PILOT = Path(__file__).resolve().parents[2] / "datasets" / "pilot"

TOPICS = {
    "clock-hands": ("When the short hand stands at twelve the long one lags behind by a whole minute.", "hand_angle"),
    "jam-labels": ("Labels for quince jam print last year's date on every jar that I fill after Sunday.", "jar_label"),
    "kite-string": (
        "The winder stops too early and leaves two metres of string in the wet grass.",
        "wind_metres",
    ),
}
CORPUS = """
name = "small"
version = "1"
licence = "MIT"
origin = "written for these tests"
looks = 2
[splits]
train = ["clock-hands"]
dev = ["jam-labels"]
holdout = ["kite-string"]
"""
CASE = """
case_id = "{case_id}"
group = "{case_id}-group"
issue = '''
{issue}
'''
constraints = ""
scope = ["package/**.py"]
[public]
fail_to_pass = ["tests/test_public.py::test_it"]
pass_to_pass = ["tests/test_public.py::test_other"]
"""
SEALED = """
canary = "{canary}"
[nodes]
fail_to_pass = ["tests/test_sealed.py::TestIt::test_more[a-1]"]
pass_to_pass = ["tests/test_sealed.py::test_same"]
[control]
why = "Two, not one."
[[control.edits]]
path = "package/{name}.py"
search = "return 1"
replace = "return 2  # the {name} that was asked for"
[[wrong]]
name = "three"
why = "Three is no better."
[[wrong.edits]]
path = "package/{name}.py"
search = "1"
replace = "3"
[truth]
files = ["package/{name}.py"]
facets = [["{name}"], ["one", "1"]]
"""


def canary_of(case_id: str) -> str:
    """A canary that is as long as a real one and differs by case."""
    return "canary-small-" + case_id.encode().hex()[:8] * 4


def files() -> dict[str, str]:
    """Every file of the small corpus, by path."""
    written = {"corpus.toml": CORPUS}
    for case_id, (issue, name) in TOPICS.items():
        case, seal, canary = f"cases/{case_id}", f"sealed/{case_id}", canary_of(case_id)
        test = f"def test_same():\n    assert {name}() + {name}() == 4\n"
        written |= {
            f"{case}/case.toml": CASE.format(case_id=case_id, issue=issue),
            f"{case}/repo/package/{name}.py": f"def {name}():\n    return 1\n",
            f"{case}/repo/tests/test_public.py": f"def test_it():\n    assert {name}() == 2\n",
            f"{seal}/sealed.toml": SEALED.format(canary=canary, name=name),
            f"{seal}/tests/tests/test_sealed.py": f"# {canary}\n{test}",
        }
    return written


def ingest(root: Path) -> SourceTree:
    """The tree below a folder that nobody else is writing to; the product hands in the walk of its workspace."""
    found = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return SourceTree.of({path.relative_to(root).as_posix(): path.read_bytes() for path in found})


def written(folder: Path, spoilt: dict[str, str | None] | None = None) -> Path:
    """The small corpus below `folder`, with some files replaced, added, or (None) left out."""
    root = folder / "small"
    for path, text in {**files(), **(spoilt or {})}.items():
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    return root


def small(folder: Path, spoilt: dict[str, str | None] | None = None) -> Corpus:
    """The small corpus as read."""
    return read_corpus(written(folder, spoilt), ingest)
