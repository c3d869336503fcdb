"""`proveout lint`: a table or one JSON object, and the status that is documented."""

import json
import sys

import pytest

from flows import cli
from tests.corpus.making import CORPUS, PILOT, TOPICS, canary_of, files, written

KITE = "cases/kite-string/case.toml"
LEAK = {KITE: files()[KITE].replace("kite-string-group", "clock-hands-group")}
PUBLIC = """
from package.{name} import {name}

def test_it():
    assert {name}() == 2

def test_other():
    assert {name}() > 0
"""
SEALED = """
from package.{name} import {name}

def test_it():
    assert {name}() - 2 == 0

def test_same():
    assert {name}() >= 1
"""
IN_ORDER = """
SEEN = []

def test_same():
    SEEN.append("the string")

def test_it():
    assert SEEN == ["the string"]
"""


@pytest.fixture
def lint(monkeypatch, capsys):
    """The command in this process: its status, stdout and stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["proveout", "lint", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run


def test_the_pilot_is_clean_and_that_is_status_0(lint):
    """One line says what was looked at."""
    status, out, err = lint(PILOT, "--no-run")
    assert (status, err) == (0, "")
    assert out.startswith("pilot ")
    assert out.endswith("nothing was found; no tests were run\n")


def test_findings_are_a_table_and_status_2(tmp_path, lint):
    """Kind, cases, detail and place are on the screen."""
    status, out, err = lint(written(tmp_path, LEAK), "--no-run")
    assert (status, err) == (2, "")
    for word in ("kind", "group-across-splits", "clock-hands", "kite-string", KITE[:20], "1 finding;"):
        assert word in out


def test_json_is_one_object_with_each_finding_as_a_record(tmp_path, lint):
    """A machine reads kind, cases, detail and place by name."""
    status, out, err = lint(written(tmp_path, LEAK), "--no-run", "--json")
    assert (status, err, out.count("\n")) == (2, "", 1)
    finding = {
        "kind": "group-across-splits",
        "case_ids": ["clock-hands", "kite-string"],
        "detail": "group 'clock-hands-group' is in two splits: clock-hands, kite-string",
        "where": ["cases/clock-hands/case.toml", KITE],
    }
    assert json.loads(out) == {
        "corpus": "small",
        "version": "1",
        "cases": {"train": 1, "dev": 1, "holdout": 1},
        "runs_per_case": 0,
        "test_seconds": {},
        "findings": [finding],
        "left_out": [],
        "left_out_number": 0,
    }


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_corpus_that_cannot_be_read_is_one_line_and_status_2(tmp_path, lint, form):
    """On stderr; stdout stays empty, as with every refusal."""
    root = written(tmp_path, {"corpus.toml": CORPUS.replace("[splits]", "[splits")})
    status, out, err = lint(root, *form)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("proveout: small/corpus.toml: expected TOML, got ")


def test_a_corpus_that_is_not_there_is_one_line_and_status_2(tmp_path, lint):
    """The path is named."""
    status, out, err = lint(tmp_path / "nowhere")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "nowhere': expected a folder, got none" in err


def test_a_name_that_keeps_a_corpus_from_being_read_is_told_beside_the_refusal(tmp_path, lint):
    """What was found, and what it led to."""
    root = written(tmp_path)
    (root / "cases" / "Kite-String").mkdir()
    status, out, _ = lint(root, "--json")
    told = json.loads(out)
    assert (status, told["cases"]) == (2, {})
    assert [each["kind"] for each in told["findings"]] == ["id-collision", "unreadable"]


def running():
    """The small corpus with tests that can be run; one of the kite's needs another one before it."""
    made = {}
    for case_id, (_, name) in TOPICS.items():
        seal, sealed = f"sealed/{case_id}", IN_ORDER if case_id == "kite-string" else SEALED
        made |= {
            f"cases/{case_id}/repo/tests/test_public.py": PUBLIC.format(name=name),
            f"{seal}/sealed.toml": files()[f"{seal}/sealed.toml"].replace("TestIt::test_more[a-1]", "test_it"),
            f"{seal}/tests/tests/test_sealed.py": f"# {canary_of(case_id)}\n{sealed.format(name=name)}",
        }
    return made


def test_tests_are_run_unless_that_is_left_out(tmp_path, lint):
    """Three cases, two runs each; the one with a test that needs another is found, and nothing else."""
    status, out, err = lint(written(tmp_path, running()), "--repeats", 2, "--home", tmp_path / "home", "--json")
    told = json.loads(out)
    assert (status, err, told["runs_per_case"]) == (2, "", 2)
    assert ["clock-hands", "jam-labels", "kite-string"] == list(told["test_seconds"])
    assert [(each["kind"], each["case_ids"]) for each in told["findings"]] == [("flaky-test", ["kite-string"])]
    assert "tests/test_sealed.py::test_it of" in told["findings"][0]["detail"]


def test_without_a_sandbox_tests_are_not_run_and_that_is_status_5(tmp_path, lint, monkeypatch):
    """The way out is named."""
    from tasks.records.errors import SandboxUnavailable
    from tasks.workspace import ladder

    def none():
        raise SandboxUnavailable("no sandbox holds on this machine")

    monkeypatch.setattr(ladder, "choose", none)
    status, out, err = lint(written(tmp_path))
    assert (status, out, err.count("\n")) == (5, "", 1)
    assert "--no-run reads the corpus only" in err


def test_what_a_run_would_miss_is_a_finding_and_what_no_tree_holds_is_told(tmp_path, lint):
    """A file beyond the limit is found by name; settings and caches are listed, and are no fault."""
    root = written(tmp_path)
    repo = root / "cases" / "kite-string" / "repo"
    (repo / ".env").write_text("")
    status, out, _ = lint(root, "--no-run")
    assert status == 0
    assert "left out of every tree (1):\n  cases/kite-string/repo/.env: excluded by name\n" in out
    (repo / "gusts.csv").write_bytes(b"x" * 256_001)
    status, out, _ = lint(root, "--no-run", "--json")
    told = json.loads(out)
    assert (status, told["left_out"]) == (2, ["cases/kite-string/repo/.env: excluded by name"])
    assert told["findings"] == [
        {
            "kind": "left-out-file",
            "case_ids": ["kite-string"],
            "detail": "'cases/kite-string/repo/gusts.csv' is left out: has 256,001 bytes, the limit is 256,000",
            "where": ["cases/kite-string/repo/gusts.csv"],
        }
    ]


def test_a_long_list_of_what_no_tree_holds_is_bounded(tmp_path, lint):
    """Twenty lines on a screen, two hundred in JSON, and the number of all."""
    root = written(tmp_path)
    for number in range(250):
        (root / "cases" / "kite-string" / "repo" / f"{number}.key").write_text("")
    _, out, _ = lint(root, "--no-run")
    assert (out.count(".key: excluded by name"), out.count("and 230 more")) == (20, 1)
    told = json.loads(lint(root, "--no-run", "--json")[1])
    assert (len(told["left_out"]), told["left_out_number"]) == (200, 250)
