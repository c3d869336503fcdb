"""Reading: what is refused, and how the one line reads."""

import json

import pytest

from tasks.corpus.reading import read_corpus
from tasks.records.case import Edit, TestNodes
from tasks.records.errors import Refusal
from tests.corpus.making import CASE, CORPUS, SEALED, canary_of, files, ingest, small, written

CLOCK = "cases/clock-hands/case.toml"
SEAL = "sealed/clock-hands/sealed.toml"


def refusal(folder, spoilt):
    """The line that a person sees."""
    with pytest.raises(Refusal) as caught:
        small(folder, spoilt)
    return str(caught.value)


def spoilt(path, old, new):
    """The file at `path` with one text replaced by another."""
    text = files()[path]
    assert text.count(old) == 1, old
    return {path: text.replace(old, new)}


def test_a_corpus_in_order_becomes_a_record(tmp_path):
    """Every part of the files arrives where the records keep it."""
    corpus = small(tmp_path)
    case, seal = corpus.case("kite-string"), corpus.seal("kite-string")
    assert (corpus.name, corpus.version, corpus.looks) == ("small", "1", 2)
    assert corpus.splits == {"train": ("clock-hands",), "dev": ("jam-labels",), "holdout": ("kite-string",)}
    assert case.issue == "The winder stops too early and leaves two metres of string in the wet grass."
    assert [file.path for file in case.repo.files] == ["package/wind_metres.py", "tests/test_public.py"]
    more, same = "tests/test_sealed.py::TestIt::test_more[a-1]", "tests/test_sealed.py::test_same"
    assert seal.nodes == TestNodes(fail_to_pass=(more,), pass_to_pass=(same,))
    assert (Edit(path="package/wind_metres.py", search="1", replace="3"),) == seal.wrong[0].edits
    assert canary_of("kite-string") == seal.canary
    assert (seal.control.name, seal.wrong[0].name) == ("control", "three")
    assert seal.truth.facets == (("wind_metres",), ("one", "1"))


def test_cases_are_sorted_and_a_second_reading_is_the_same(tmp_path):
    """The order in which a file system lists folders leaves no trace."""
    first, second = small(tmp_path / "a"), small(tmp_path / "b")
    assert [case.case_id for case in first.cases] == ["clock-hands", "jam-labels", "kite-string"]
    assert first.fingerprint == second.fingerprint


def test_a_corpus_that_is_not_there_is_refused(tmp_path):
    """The path that was asked for is named."""
    with pytest.raises(Refusal, match=r"^corpus '.*nowhere': expected a folder, got none$"):
        read_corpus(tmp_path / "nowhere", ingest)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("corpus.toml", "small/corpus.toml: expected a readable file, got FileNotFoundError"),
        (CLOCK, "small/cases/clock-hands/case.toml: expected a readable file, got FileNotFoundError"),
        (SEAL, "small/sealed/clock-hands/sealed.toml: expected a readable file, got FileNotFoundError"),
    ],
)
def test_a_missing_file_is_refused(tmp_path, path, line):
    """Each of the three TOML files has to be there."""
    assert line == refusal(tmp_path, {path: None})


@pytest.mark.parametrize(
    ("path", "old", "new", "line"),
    [
        ("corpus.toml", 'version = "1"', "", "small/corpus.toml: expected a key 'version', got none"),
        ("corpus.toml", "looks = 2", "looks = 0", "'looks': expected greater than or equal to 1, got 0"),
        ("corpus.toml", "looks = 2", 'looks = "2"', "small/corpus.toml: 'looks': expected a valid integer, got '2'"),
        ("corpus.toml", "looks = 2", "looks = true", "small/corpus.toml: 'looks': expected a valid integer, got True"),
        (CLOCK, "[public]", "hint = 1\n[public]", f"small/{CLOCK}: expected no key 'hint', got 1"),
        (CLOCK, '"tests/test_public.py::test_it"', "7", "'public.fail_to_pass.0': expected a valid string, got 7"),
        (CLOCK, "[public]", "[public", f"small/{CLOCK}: expected TOML, got "),
        (SEAL, '"package/hand_angle.py"]', '"package/hand_angel.py"]', "'truth.files': expected files of the repo"),
        (SEAL, "canary-small-", "canary small-", f"small/{SEAL}: 'canary': expected string should match pattern"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fill_its_form_is_refused(tmp_path, path, old, new, line):
    """File, key, expected and got, in one line."""
    said = refusal(tmp_path, spoilt(path, old, new))
    assert said.startswith(f"small/{path}: ")
    assert line in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "node",
    [
        "tests/test_public.py",
        "tests/test_public.py::",
        "tests/test_public.py::test it",
        "tests/test_public.txt::test_it",
        "../tests/test_public.py::test_it",
        "/tests/test_public.py::test_it",
        "tests//test_public.py::test_it",
        "tests/test_public.py::test_it --collect-only",
        "tests/test_öffentlich.py::test_it",
        "tests/test_absent.py::test_it",
        "tests/test_public.py::test_other",
    ],
)
def test_a_bad_node_id_is_refused(tmp_path, node):
    """Malformed, out of the tree, of a file that is not there, or listed twice."""
    said = refusal(tmp_path, spoilt(CLOCK, "tests/test_public.py::test_it", node))
    assert said.startswith(f"small/{CLOCK}: 'public")


@pytest.mark.parametrize(
    "path", ["/etc/hosts", "package/../x.py", "package\\x.py", "c:/x.py", "package/", "päckchen/x.py", ""]
)
def test_a_bad_path_in_an_edit_is_refused(tmp_path, path):
    """Edits name relative ASCII paths, written in one way only."""
    text = SEALED.format(canary=canary_of("clock-hands"), name="hand_angle")
    text = text.replace('path = "package/hand_angle.py"\nsearch = "1"', f"path = '{path}'\nsearch = '1'")
    assert "'wrong.0.edits.0.path': expected a relative ASCII path" in refusal(tmp_path, {SEAL: text})


@pytest.mark.parametrize("edit", ['search = ""', 'search = "1"\naction = "delete"', 'search = "1"\naction = "rename"'])
def test_an_edit_without_sense_is_refused(tmp_path, edit):
    """A replacement needs a search text, nothing else has one, and there are three actions."""
    text = SEALED.format(canary=canary_of("clock-hands"), name="hand_angle").replace('search = "1"', edit)
    assert "'wrong.0.edits.0" in refusal(tmp_path, {SEAL: text})


def test_a_file_with_a_path_beyond_ascii_is_refused(tmp_path):
    """Two systems may spell such a path differently; it is shown escaped."""
    said = refusal(tmp_path, {"cases/clock-hands/repo/package/zeit\u00fc.py": ""})
    assert said.startswith("small/cases/clock-hands/repo: expected a relative ASCII path")
    assert said.endswith(r"got 'package/zeit\xfc.py'")


def test_a_case_under_another_name_is_refused(tmp_path):
    """Two folders cannot claim one id, because an id is the name of its folder."""
    line = f"small/{CLOCK}: 'case_id': expected 'clock-hands', its folder, got 'jam-labels'"
    assert line == refusal(tmp_path, {CLOCK: CASE.format(case_id="jam-labels", issue="x")})


def test_a_case_without_a_seal_is_refused(tmp_path):
    """A case that cannot be graded is no case."""
    seals = dict.fromkeys((path for path in files() if path.startswith("sealed/kite-string/")), None)
    assert refusal(tmp_path, seals) == "small/cases/kite-string: expected a seal of that name beside it, got none"


def test_a_seal_without_a_case_is_refused(tmp_path):
    """It is probably the seal of a case that was renamed."""
    seal = {"sealed/lone-seal/sealed.toml": files()[SEAL]}
    assert refusal(tmp_path, seal) == "small/sealed/lone-seal: expected a case of that name, got none"


@pytest.mark.parametrize(
    ("train", "line"),
    [
        ('["clock-hands", "moon-phase"]', "expected ids of cases, got 'moon-phase'"),
        ('["clock-hands", "jam-labels"]', "expected each case once, got 'jam-labels' 2 times"),
        ('["clock-hands", "clock-hands"]', "expected each case once, got 'clock-hands' 2 times"),
        ("[]", "expected every case in a split, got 'clock-hands' in none"),
    ],
)
def test_splits_that_do_not_divide_the_cases_are_refused(tmp_path, train, line):
    """Every case is in one split, and every name in a split is a case."""
    spoilt_corpus = CORPUS.replace('train = ["clock-hands"]', f"train = {train}")
    assert f"small/corpus.toml: 'splits': {line}" == refusal(tmp_path, {"corpus.toml": spoilt_corpus})


@pytest.mark.parametrize(
    ("stray", "line"),
    [
        ("cases/notes.md", "small/cases/notes.md: expected a folder for each case, got something else"),
        ("cases/clock-hands/fix.patch", "small/cases/clock-hands: expected case.toml and repo alone, got 'fix.patch'"),
        ("sealed/clock-hands/fix.py", "small/sealed/clock-hands: expected sealed.toml and tests alone, got 'fix.py'"),
    ],
)
def test_whatever_does_not_belong_there_is_refused(tmp_path, stray, line):
    """A forgotten patch beside a case would be copied along with it."""
    assert line == refusal(tmp_path, {stray: "x"})


def test_a_case_folder_that_is_a_link_is_refused(tmp_path):
    """What lies behind a link can change without the corpus changing."""
    root = written(tmp_path)
    (root / "cases" / "linked").symlink_to(root / "cases" / "clock-hands", target_is_directory=True)
    with pytest.raises(Refusal, match="link-out-of-case: link 'cases/linked' leads out of its case"):
        read_corpus(root, ingest)


def test_an_empty_repository_is_refused(tmp_path):
    """Nothing to repair."""
    empty = dict.fromkeys((path for path in files() if path.startswith("cases/clock-hands/repo/")), None)
    assert refusal(tmp_path, empty) == "small/cases/clock-hands/repo: expected a folder, got none"


@pytest.mark.parametrize(
    "pin",
    [
        "attrs", "attrs>=24", "attrs==24.*", "attrs===24", "attrs == 24", "attrs==24; python_version > '3'", "",
        "attrs[x]==1", "attrs @ https://host/attrs.whl", "git+https://host/attrs", "./attrs", "/attrs.whl",
        "-r more.txt", "attrs==1==2", "--index-url=https://host", "attrs==24.2.0\n", "attrs==latest",
        "attrs==1 --hash=sha256:0",
    ],
)  # fmt: skip
def test_a_requirement_that_is_no_exact_pin_is_refused(tmp_path, pin):
    """A URL, a path, an option, a marker, an extra, a range or no version: one line that says what is expected."""
    said = refusal(tmp_path, pinned(pin))
    assert "'requirements.0': expected one exact version such as 'attrs==24.2.0', got " in said
    assert "\n" not in said


def pinned(*pins):
    """The first case with requirements."""
    return {CLOCK: f"requirements = {json.dumps(pins)}\n" + files()[CLOCK]}


def test_requirements_are_read_in_one_spelling_and_change_the_case(tmp_path):
    """Sorted, with names as indexes compare them (PEP 503); the case is another one with them."""
    plain = small(tmp_path / "a").case("clock-hands")
    pins = ("Typing_Extensions==4.12.2", "attrs==24.2.0", "torch==2.1.0+cpu", "x==1!2.0rc1.post1.dev2")
    found = small(tmp_path / "b", pinned(*pins)).case("clock-hands")
    expected = ("attrs==24.2.0", "torch==2.1.0+cpu", "typing-extensions==4.12.2", "x==1!2.0rc1.post1.dev2")
    assert (expected, ()) == (found.requirements, plain.requirements)
    assert found.fingerprint != plain.fingerprint


def test_one_requirement_is_pinned_once(tmp_path):
    """Under any spelling of its name."""
    said = refusal(tmp_path, pinned("a-b==1", "A_b==2"))
    assert "expected one version of each requirement; 'a-b' is pinned twice" in said
