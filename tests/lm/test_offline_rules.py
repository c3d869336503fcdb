"""Rules: replies come from the request, strategies from the words of the instruction, edits from the evidence."""

import json
import os
import subprocess
import sys
from string import Template

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.lm.offline.lessons import SENTENCES
from tasks.lm.offline.rules import RulesEngine
from tasks.program.patches import parse_patch
from tasks.program.surface import INSTRUCTIONS
from tasks.records.model import Asker, ModelRequest
from tests.lm.test_offline_chat import FIELDS, asked, prompted, said

LAW = settings(max_examples=25, deadline=None)
WHO = Asker(session="s", attempt="a")
TAUGHT = {
    "diagnose": " ".join([INSTRUCTIONS["diagnose"], *(SENTENCES[key] for key in ("values", "boundaries", "absence"))]),
    "patch": f"{INSTRUCTIONS['patch']} {SENTENCES['places']}",
}
NAMES = {"f": "gross", "a": "net", "b": "levy", "c": "Parcel", "d": "weigh", "m": "depot"}

# Each bug: what the issue says, the files before, what changes, and what a failing run prints.
BUGS = {
    "operator": (
        "The sum is too small.",
        {"$m.py": "def $f($a, $b):\n    return $a - $b\n"},
        {"$m.py": ("$a - $b", "$a + $b")},
        "from $m import $f\n\n\ndef test_it():\n    assert $f(2, 3) == 5\n",
        "E   assert -1 == 5",
    ),
    "constant": (
        "It ought to be 40 percent.",
        {"$m.py": "SHARE = 0.3\n\n\ndef $f($a):\n    return $a * SHARE\n"},
        {"$m.py": ("0.3", "0.4")},
        "from $m import $f\n\n\ndef test_it():\n    assert $f(10) == 4.0\n",
        "E   assert 3.0 == 4.0",
    ),
    "factor": (
        "Two of one kind cost as much as one.",
        {
            "$m.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass $c:\n    $a: int\n    $b: int\n\n\n"
            "def $f(rows):\n    return sum(row.$a for row in rows)\n"
        },
        {"$m.py": ("sum(row.$a for", "sum(row.$a * row.$b for")},
        "from $m import $c, $f\n\n\ndef test_it():\n    assert $f([$c(5, 2), $c(7, 3)]) == 31\n",
        "E   assert 12 == 31",
    ),
    "boundary": (
        "Exactly ten counts.",
        {"$m.py": "def $f($a):\n    return $a > 10\n"},
        {"$m.py": ("$a > 10", "$a >= 10")},
        "from $m import $f\n\n\ndef test_it():\n    assert $f(10) is True\n    assert $f(9) is False\n",
        "E   assert False is True",
    ),
    "range": (
        "The last one is left out.",
        {"$m.py": "def $f($a):\n    return [$b * $b for $b in range(1, $a)]\n"},
        {"$m.py": ("range(1, $a)", "range(1, $a + 1)")},
        "from $m import $f\n\n\ndef test_it():\n    assert $f(3) == [1, 4, 9]\n",
        "E   assert [1, 4] == [1, 4, 9]",
    ),
    "empty": (
        "Nothing at all should give 0.0.",
        {"$m.py": "def $f($a):\n    return sum($a) / len($a)\n"},
        {"$m.py": ("    return sum", "    if not $a:\n        return 0.0\n    return sum")},
        "from $m import $f\n\n\ndef test_it():\n    assert $f([]) == 0.0\n",
        "$m.py:2: in $f\n    return sum($a) / len($a)\nE   ZeroDivisionError: division by zero",
    ),
    "attribute": (
        "It stops with an error.",
        {
            "$m.py": "class $c:\n    def __init__(self, $a):\n        self.$a = $a\n\n\n"
            "def $f(thing):\n    return thing.$b + 1\n"
        },
        {"$m.py": ("thing.$b", "thing.$a")},
        "from $m import $c, $f\n\n\ndef test_it():\n    assert $f($c(4)) == 5\n",
        "$m.py:7: in $f\n    return thing.$b + 1\nE   AttributeError: '$c' object has no attribute '$b'",
    ),
    "rename": (
        "Since the clean-up nothing works; the function goes by the name `$d` now.",
        {
            "$m.py": "def $d($a):\n    return $a * 2\n",
            "one.py": "import $m\n\n\ndef first($a):\n    return $m.$f($a)\n",
            "two.py": "from $m import $f\n\n\ndef second($a):\n    return $f($a) + $f(1)\n",
        },
        {
            "one.py": ("$m.$f", "$m.$d"),
            "two.py": ("import $f\n\n\ndef second($a):\n    return $f($a) + $f(1)",
                       "import $d\n\n\ndef second($a):\n    return $d($a) + $d(1)"),
        },
        "from one import first\n\n\ndef test_it():\n    assert first(2) == 4\n",
        "one.py:5: in first\n    return $m.$f($a)\nE   AttributeError: module '$m' has no attribute '$f'",
    ),
}  # fmt: skip
LESSONED = [bug for bug in BUGS if bug != "attribute"]


def filled(text: str, names: dict[str, str]) -> str:
    """A template with its identifiers."""
    return Template(text).substitute(names)


def shown(files: dict[str, str], failure: str) -> str:
    """Evidence as the program renders it."""
    blocks = [f"### reproduced failure\ntest_it.py::test_it: failed in call\ntest_it.py:5: in test_it\n{failure}"]
    for path, text in files.items():
        lines = text.rstrip("\n").split("\n")
        blocks.append(f"### read_file path={path}\n" + "\n".join(f"{n}: {line}" for n, line in enumerate(lines, 1)))
    return "\n\n".join(blocks)


def case(bug: str, names: dict[str, str] | None = None) -> tuple[str, dict[str, str], dict[str, str], str]:
    """(issue, files before, files after, evidence)."""
    names = names or NAMES
    issue, templates, repairs, test, failure = BUGS[bug]
    before = {filled(path, names): filled(text, names) for path, text in templates.items()}
    changes = {filled(path, names): tuple(filled(part, names) for part in pair) for path, pair in repairs.items()}
    after = {path: text.replace(*changes.get(path, ("\0", ""))) for path, text in before.items()}
    evidence = shown({**before, "test_it.py": filled(test, names)}, filled(failure, names))
    return filled(issue, names), before, after, evidence


def reply(request: ModelRequest, session: str = "s") -> dict[str, str]:
    """The engine's fields, without misses."""
    return said(RulesEngine(0, 0.0).complete(request, Asker(session=session, attempt="a"), 0).text)


def patch_for(issue: str, evidence: str, taught: dict[str, str]) -> str:
    """Diagnose, then patch; the patch as text."""
    inputs = {"issue": issue, "repository_evidence": evidence}
    diagnosis = reply(asked("diagnose", inputs, taught["diagnose"]))["diagnosis"]
    return reply(asked("patch", {**inputs, "diagnosis": diagnosis}, taught["patch"]))["patch"]


def applied(files: dict[str, str], patch: str) -> dict[str, str]:
    """The files under exact-once edits."""
    parsed = parse_patch(patch)
    assert parsed.edits, patch
    made = dict(files)
    for edit in parsed.edits:
        assert made[edit.path].count(edit.search) == 1
        made[edit.path] = made[edit.path].replace(edit.search, edit.replace)
    return made


@pytest.mark.parametrize("bug", BUGS)
def test_a_taught_engine_repairs(bug):
    """With the lessons in its instructions, each family comes out right."""
    issue, before, after, evidence = case(bug)
    assert applied(before, patch_for(issue, evidence, TAUGHT)) == after


@pytest.mark.parametrize("bug", [bug for bug in LESSONED if bug != "rename"])
def test_an_untaught_engine_rejects_and_says_what_is_missing(bug):
    """Without the lesson the diagnosis admits its gap, and the patch is a rejection."""
    issue, _, _, evidence = case(bug)
    told = reply(asked("diagnose", {"issue": issue, "repository_evidence": evidence}))
    assert told["missing_evidence"].startswith("The root cause was not established")
    assert parse_patch(patch_for(issue, evidence, INSTRUCTIONS)).rejection != ""


def test_an_untaught_engine_solves_an_attribute_that_is_not_there():
    """This family needs no lesson."""
    issue, before, after, evidence = case("attribute")
    assert applied(before, patch_for(issue, evidence, INSTRUCTIONS)) == after


def test_an_untaught_engine_renames_the_place_of_the_traceback_only():
    """Every other place needs the lesson, in the patch's own instruction."""
    issue, before, after, evidence = case("rename")
    made = applied(before, patch_for(issue, evidence, INSTRUCTIONS | {"diagnose": TAUGHT["diagnose"]}))
    assert (made["one.py"], made["two.py"]) == (after["one.py"], before["two.py"])


def test_a_revision_reaches_the_other_places_where_it_is_asked_to():
    """The lesson counts in the revising instruction too; without it the revision is an honest rejection."""
    issue, before, after, evidence = case("rename")
    inputs = {"issue": issue, "repository_evidence": evidence}
    first = patch_for(issue, evidence, INSTRUCTIONS)
    diagnosis = reply(asked("diagnose", inputs))["diagnosis"]
    read = reply(asked("interpret", {**inputs, "diagnosis": diagnosis, "patch": first, "validation_output": "E   x"}))
    told = inputs | read | {"rejected_patch": first}
    assert parse_patch(reply(asked("revise", told))["patch"]).edits == ()
    taught = reply(asked("revise", told, f"{INSTRUCTIONS['revise']} {SENTENCES['places']}"))["patch"]
    assert applied(before, taught) == after


IDENTIFIER = st.from_regex(r"[a-z]{5,9}q", fullmatch=True)


@pytest.mark.parametrize("bug", BUGS)
@LAW
@given(st.lists(IDENTIFIER, min_size=6, max_size=6, unique=True))
def test_a_repair_is_unmoved_by_renaming(bug, words):
    """The same bug under other names gets the same repair under these names."""
    names = dict(zip(NAMES, words, strict=True)) | {"c": words[2].title()}
    issue, before, after, evidence = case(bug, names)
    assert applied(before, patch_for(issue, evidence, TAUGHT)) == after


def test_a_normalisation_of_text_is_rejected():
    """What the engine has no family for, it says so."""
    files = {"words.py": 'def slug(text):\n    return text.lower().replace(" ", "-")\n'}
    test = 'from words import slug\n\n\ndef test_it():\n    assert slug("A  b!") == "a-b"\n'
    evidence = shown({**files, "test_it.py": test}, "E   AssertionError: assert 'a--b!' == 'a-b'")
    assert parse_patch(patch_for("Slugs keep punctuation.", evidence, TAUGHT)).rejection != ""


def test_nothing_in_a_patch_comes_from_elsewhere():
    """Every searched text stands in the evidence, and every path too."""
    for bug in BUGS:
        issue, _, _, evidence = case(bug)
        for edit in json.loads(patch_for(issue, evidence, TAUGHT)):
            assert edit["path"] in evidence
            assert all(line in evidence for line in edit["search"].split("\n"))


def test_the_same_text_gets_the_same_reply_in_another_process():
    """Neither hash seeds nor earlier calls move a reply."""
    issue, _, _, evidence = case("factor")
    request = asked("diagnose", {"issue": issue, "repository_evidence": evidence}, TAUGHT["diagnose"])
    program = (
        "import sys; from tasks.records.model import *; from tasks.lm.offline.rules import RulesEngine\n"
        "request = ModelRequest.model_validate_json(sys.stdin.read())\n"
        "print(RulesEngine(0, 0.0).complete(request, Asker(session='s', attempt='a'), 0).text)"
    )
    replies = {
        subprocess.run(
            [sys.executable, "-c", program], input=request.model_dump_json(),
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert replies == {RulesEngine(0, 0.0).complete(request, WHO, 0).text.strip()}


def test_misses_come_at_the_declared_rate_over_seeds():
    """Over 2,000 seeds at 5 percent, hits lie within four standard deviations of 100 (9.7 each)."""
    issue, _, _, evidence = case("attribute")
    request = asked("patch", {"issue": issue, "repository_evidence": evidence, "diagnosis": "x"})
    misses = sum(RulesEngine(seed, 0.05).misses(request, WHO, 0) for seed in range(2_000))
    assert 61 <= misses <= 139


def test_a_miss_is_an_honest_rejection_of_a_patch_and_of_nothing_else():
    """At a rate of one every patch is rejected, and a diagnosis is as it was."""
    issue, _, _, evidence = case("operator")
    inputs = {"issue": issue, "repository_evidence": evidence}
    always, never = RulesEngine(0, 1.0), RulesEngine(0, 0.0)
    patch = said(always.complete(asked("patch", inputs), WHO, 0).text)["patch"]
    assert parse_patch(patch).rejection != ""
    request = asked("diagnose", inputs, TAUGHT["diagnose"])
    assert always.complete(request, WHO, 0) == never.complete(request, WHO, 0)


def test_misses_differ_between_sessions():
    """Noise exists: a request that is missed in one session is not missed in all."""
    request = asked("patch", {"issue": "i"})
    engine = RulesEngine(0, 0.5)
    drawn = {engine.misses(request, Asker(session=f"s{number}", attempt="a"), 0) for number in range(40)}
    assert drawn == {True, False}


def test_an_unknown_signature_gets_a_text_for_each_field():
    """No rule is no reason to raise."""
    told = reply(prompted(("question",), ("x", "y"), {"question": "why"}, "Answer."))
    assert set(told) == {"x", "y", "completed"}


@pytest.mark.parametrize("call", FIELDS)
@LAW
@given(st.text(max_size=400), st.text(max_size=400))
def test_no_text_makes_the_engine_raise(call, one, two):
    """Garbage of any kind gets a reply with every field."""
    issue, _, _, evidence = case("rename")
    names, outputs = FIELDS[call]
    inputs = dict.fromkeys(names, one) | {
        "repository_evidence": f"{evidence}\n{two}",
        "evidence_so_far": two + evidence,
    }
    assert set(reply(asked(call, inputs | {"issue": issue + one}, TAUGHT.get(call)))) == {*outputs, "completed"}


def test_long_evidence_is_answered():
    """Sixty thousand characters of a file are no reason to raise, nor is a file nested to the brim."""
    long = "\n".join(f"x{number} = {number}" for number in range(4_000))
    deep = f"y = {'(' * 90}1{')' * 90}\nz = {'-' * 5_000}1\nw = a{'.b' * 3_000}"
    evidence = shown({"long.py": long, "deep.py": deep, "test_it.py": "from long import x1\n"}, "E   assert 1 == 2")
    inputs = {"issue": "é" * 9_000, "repository_evidence": evidence}
    assert "diagnosis" in reply(asked("diagnose", inputs, TAUGHT["diagnose"]))


def test_exploring_reads_the_test_then_the_traceback_then_finishes():
    """Nothing is asked twice, and what the failure reaches is read."""
    files = {"test_it.py": "from one import first\n", "one.py": "import two\n", "two.py": "x = 1\n"}
    failure, asked_for, calls = "one.py:1: in first\nE   ValueError: no", {}, []
    for _ in range(8):
        told = reply(asked("explore", {"evidence_so_far": shown(asked_for, failure)}))
        if told["tool"] == "finish":
            break
        calls.append((told["tool"], *json.loads(told["arguments"]).values()))
        path = str(calls[-1][1])
        asked_for[path] = files.get(path, "# no such file")
    assert calls[:2] == [("read_file", "test_it.py"), ("read_file", "one.py")]
    assert ("read_file", "two.py") in calls or ("read_file", "two/__init__.py") in calls
    assert len(calls) == len(set(calls)) <= 6
