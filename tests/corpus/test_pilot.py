"""The pilot corpus as it lies on disk; what only a run shows is the control stage's business."""

import ast
import tomllib
from collections import Counter

import pytest

from tasks.corpus.linting import lint, visible_text
from tasks.corpus.reading import read_corpus
from tasks.workspace.edits import apply
from tasks.workspace.trivial import trivial_trees
from tests.corpus.making import PILOT, ingest

CORPUS = read_corpus(PILOT, ingest)
CASES = pytest.mark.parametrize("case", CORPUS.cases, ids=lambda case: case.case_id)


def is_test(path):
    return path.startswith("tests/")


def nodes_in(tree):
    """Node ids of every test function in a tree."""
    nodes = set()
    for file in tree.files:
        if not file.path.split("/")[-1].startswith("test_"):
            continue
        for top in ast.parse(file.text).body:
            inner = top.body if isinstance(top, ast.ClassDef) else [top]
            prefix = f"{file.path}::{top.name}::" if isinstance(top, ast.ClassDef) else f"{file.path}::"
            nodes |= {prefix + each.name for each in inner if getattr(each, "name", "").startswith("test_")}
    return nodes


def test_the_pilot_has_no_findings():
    """Nothing leaks across splits, out of seals, or through scopes."""
    assert lint(CORPUS) == ()


def test_the_pilot_has_twelve_twelve_and_twenty_four_cases_in_as_many_groups():
    """A group for every case, so that the twenty-four holdout cases are that many independent units."""
    sizes = {split: len(case_ids) for split, case_ids in CORPUS.splits.items()}
    assert sizes == {"train": 12, "dev": 12, "holdout": 24}
    assert len({case.group for case in CORPUS.cases}) == 48
    assert CORPUS.looks == 2


def test_at_least_twelve_families_of_defects_are_declared_and_none_fills_the_holdout():
    """Every case says its own, in the sealed part; at most a quarter of the holdout is of one kind."""
    families = {seal.case_id: seal.truth.family for seal in CORPUS.sealed}
    assert [case_id for case_id, family in families.items() if family is None] == []
    assert len(set(families.values())) >= 12
    held_out = Counter(families[case_id] for case_id in CORPUS.splits["holdout"])
    assert len(held_out) >= 12
    assert max(held_out.values()) <= 6


def test_at_least_eight_cases_need_two_files():
    """As a patch of some of their files is among the known-wrong ones, which control fails."""
    needing = []
    for seal in CORPUS.sealed:
        files = {edit.path for edit in seal.control.edits}
        if len(files) >= 2 and any({edit.path for edit in wrong.edits} < files for wrong in seal.wrong):
            needing.append(seal.case_id)
    assert len(needing) >= 8


def test_at_least_six_cases_have_a_plausible_wrong_fix_that_public_tests_admit():
    """Control grades what is declared so: all public tests pass, a sealed one fails."""
    admitting = [seal.case_id for seal in CORPUS.sealed if any(wrong.passes_public for wrong in seal.wrong)]
    assert len(admitting) >= 6
    assert len(set(admitting) & set(CORPUS.splits["holdout"])) >= 6


def test_at_least_four_cases_have_text_or_data_in_play():
    """A file beside the modules, of a kind that a module of the package opens."""
    playing = []
    for case in CORPUS.cases:
        modules = [file for file in case.repo.files if file.path.endswith(".py") and not is_test(file.path)]
        readers = [file.text for file in modules if "read_text(" in file.text or "open(" in file.text]
        packages = {file.path.split("/")[0] for file in modules}
        data = [file.path for file in case.repo.files if file.path.split("/")[0] in packages and file not in modules]
        if any(f".{path.rpartition('.')[2]}" in text for path in data for text in readers):
            playing.append(case.case_id)
    assert len(playing) >= 4


def test_every_case_has_trivial_answers_to_fail():
    """Control grades at least one for each case, and all kinds for nearly all of them."""
    kinds = {}
    for case in CORPUS.cases:
        control = apply(case.repo, CORPUS.seal(case.case_id).control.edits, case.scope)
        assert control.refusals == ()
        kinds[case.case_id] = [kind for kind, _ in trivial_trees(case, control.tree)]
    assert min(len(of) for of in kinds.values()) >= 1
    assert sum(of == ["None", "NaN", "empty", "first argument", "constant"] for of in kinds.values()) >= 36


def test_what_a_seal_says_of_its_patches_is_what_stands_in_the_file():
    """The family, and which wrong patches the public tests admit."""
    for seal in CORPUS.sealed:
        written = tomllib.loads((PILOT / "sealed" / seal.case_id / "sealed.toml").read_text(encoding="utf-8"))
        assert written["truth"]["family"] == seal.truth.family
        admitted = [wrong.get("passes_public", False) for wrong in written["wrong"]]
        assert admitted == [wrong.passes_public for wrong in seal.wrong]


@CASES
def test_every_test_is_declared_and_every_declared_test_exists(case):
    """A test that nobody listed would never be run, and a missing one could never pass."""
    seal = CORPUS.seal(case.case_id)
    assert set(case.public.all) == nodes_in(case.repo)
    assert set(seal.nodes.all) == nodes_in(seal.tests)


@CASES
def test_numbers_of_nodes_are_within_the_house_rule(case):
    """One to three public failures, at least one public pass, four to eight sealed nodes of both kinds."""
    seal = CORPUS.seal(case.case_id)
    assert 1 <= len(case.public.fail_to_pass) <= 3
    assert 4 <= len(seal.nodes.all) <= 8
    assert len(seal.nodes.pass_to_pass) >= 2


@CASES
def test_sizes_are_those_of_a_small_real_package(case):
    """Two to six modules, two to twelve files in all, 60 to 200 lines with its tests, a README, no conftest."""
    paths = [file.path for file in case.repo.files]
    modules = [path for path in paths if path.endswith(".py") and not is_test(path)]
    modules = [path for path in modules if not path.endswith("__init__.py")]
    lines = sum(len(file.text.splitlines()) for file in case.repo.files if file.path.endswith(".py"))
    assert 2 <= len(modules) <= 6
    assert 2 <= len(paths) <= 12
    assert 60 <= lines <= 200
    assert "README.md" in paths
    assert not [path for path in paths if path.endswith("conftest.py")]


@CASES
def test_a_literal_stands_in_every_sealed_test(case):
    """Twins are made by changing what is compared with `==` or expected with `raises`."""
    for file in CORPUS.seal(case.case_id).tests.files:
        for function in (each for each in ast.walk(ast.parse(file.text)) if isinstance(each, ast.FunctionDef)):
            if function.name.startswith("test_"):
                asserts = [each for each in ast.walk(function) if isinstance(each, ast.Assert)]
                raises = "pytest.raises" in ast.unparse(function)
                equal = [each for each in asserts if " == " in ast.unparse(each)]
                assert equal or raises, function.name
                assert len(equal) == len(asserts), function.name


@CASES
def test_the_visible_part_names_no_family_and_no_seal(case):
    """The words of the people who wrote the corpus stay out of what a program may see."""
    text = visible_text(case).lower()
    for word in ("sealed", "canary", "holdout", "off-by-one", "off by one", "bug family", "fixme", "todo"):
        assert word not in text


def test_half_of_the_sealed_nodes_of_the_invoice_are_passed_before_any_patch():
    """Four of eight: the score of doing nothing is pinned at 0.5."""
    nodes = CORPUS.seal("invoice-quantity").nodes
    assert (len(nodes.fail_to_pass), len(nodes.pass_to_pass)) == (4, 4)


def test_a_rename_is_repaired_in_two_files():
    """One of two places is a known-bad patch in both cases."""
    for case_id in ("trail-distance", "ticket-printer"):
        seal = CORPUS.seal(case_id)
        assert len({edit.path for edit in seal.control.edits}) == 2
        assert set(seal.truth.files) == {edit.path for edit in seal.control.edits}
        assert any({edit.path for edit in wrong.edits} < set(seal.truth.files) for wrong in seal.wrong)


def test_no_machine_and_no_person_is_named():
    """Cases are published."""
    texts = [visible_text(case) for case in CORPUS.cases]
    texts += [file.text for seal in CORPUS.sealed for file in seal.tests.files]
    for text in texts:
        assert not [word for word in ("/home/", "/Users/", "/tmp/", "/work/", "@gmail") if word in text]
