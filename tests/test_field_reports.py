"""What people reported of other tools in this field, tried on this one; each test is named after the kind."""

import json

import pytest

from flows.opening import laboratory
from tasks.evidence.home import Home
from tasks.evidence.index import key_of
from tasks.evidence.store import EvidenceStore
from tasks.freeze import freeze, read_spec, source_revision
from tasks.lm.ledger import CallLedger
from tasks.records.case import Edit
from tasks.records.model import Asker, Message, ModelReply, ModelRequest
from tasks.records.tree import SourceTree
from tasks.trials.grader import Grader
from tasks.trials.laboratory import silent
from tests.small import SPEC, small_corpus, small_laboratory

CASE = "invoice-quantity"


@pytest.fixture
def lab(tmp_path):
    return small_laboratory(tmp_path, small_corpus())


def test_a_stage_of_another_version_is_computed_and_the_others_are_not(tmp_path):
    """prefect#12140, new cache key, old result: the version is part of the key, and a miss names it."""
    store = EvidenceStore(Home.open(tmp_path))
    done = store.put(read_spec(SPEC))
    store.remember(key_of("baseline", {"version": "1", "Proven": "a" * 64}), done, {"version": "1", "Proven": "a" * 64})
    wanted = {"version": "2", "Proven": "a" * 64}
    assert store.recall(key_of("baseline", wanted)) is None
    assert store.explain("baseline", wanted).endswith("differs in version: '1' then, '2' now")


def test_a_stages_version_is_not_part_of_the_source_revision(tmp_path):
    """Raising one version leaves the manifest as it is; any other change of our code is another experiment."""
    package = tmp_path / "tasks"
    package.mkdir()
    revisions = []
    for version, weight in (("1", "0.5"), ("2", "0.5"), ("2", "0.6")):
        (package / "baseline.py").write_text(f'VERSION = "{version}"\nWEIGHT = {weight}\n')
        revisions.append(source_revision((package,)))
    assert (revisions[0] == revisions[1], revisions[1] == revisions[2]) == (True, False)


def test_restoring_nothing_restores_nothing(lab):
    """SWE-bench#541: sealed tests that only add files leave the patch in the tree that is graded."""
    case, seal = lab.corpus.case(CASE), lab.corpus.seal(CASE)
    grading = Grader(lab.benches, lab.store, lab.scope("holdout")).grade(case, seal, seal.control.edits, times=1)
    (edit,) = seal.control.edits
    file = case.repo.by_path[edit.path]
    patched = file.model_copy(update={"content": file.text.replace(edit.search, edit.replace).encode()})
    expected = case.repo.overlaid(SourceTree(files=(patched,))).overlaid(seal.tests)
    assert grading.tree == expected.fingerprint
    assert grading.reports[0].all_passed(case.public.all + seal.nodes.all)


def test_a_patch_cannot_edit_a_test_or_take_the_place_of_a_sealed_one(lab):
    """multi-swe-bench#22, order of patch and tests: both are refused at the gate, with that reason."""
    case, seal = lab.corpus.case(CASE), lab.corpus.seal(CASE)
    grader = Grader(lab.benches, lab.store, lab.scope("holdout"))
    public = Edit(path="tests/test_invoice.py", search="== 75_000", replace="== 25_000")
    sealed = Edit(path=seal.tests.files[0].path, action="create", replace="def test_one_of_each(): pass\n")
    for edit in (public, sealed):
        validation = grader.validate(case, (edit,))
        assert (validation.applied, validation.in_scope) == (False, False)
        assert "scope" in validation.refusals[0].reason


def test_where_a_scope_allows_it_the_sealed_file_wins(lab):
    """The same patch under a scope that forgot tests: what is graded holds the sealed file's own content."""
    case, seal = lab.corpus.case(CASE), lab.corpus.seal(CASE)
    open_case = case.model_copy(update={"scope": ("**",)})
    target = seal.tests.files[0]
    forged = Edit(path=target.path, action="create", replace="def test_one_of_each(): pass\n")
    grading = Grader(lab.benches, lab.store, lab.scope("holdout")).grade(open_case, seal, (forged,), times=1)
    assert grading.tree == case.repo.overlaid(seal.tests).fingerprint
    assert not grading.reports[0].all_passed(seal.nodes.fail_to_pass)


def test_a_repository_that_asks_for_colours_changes_no_outcome_and_no_text(lab):
    """agent-lightning PR#599: nothing reads printed text, and what is shown is free of escapes."""
    case = lab.corpus.case(CASE)
    coloured = case.repo.overlaid(
        SourceTree.of({"pytest.ini": "[pytest]\naddopts = --color=yes -q -q\n", "conftest.py": COLOURS})
    )
    plain, shown = (lab.benches.trying(case).test(tree, case.public.all) for tree in (case.repo, coloured))
    assert shown.outcomes == plain.outcomes
    assert "\x1b" not in shown.shown


COLOURS = """
def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("\\x1b[32m9 passed in 0.01s\\x1b[0m")
"""


def test_experiments_that_differ_in_their_tools_share_no_answer(tmp_path):
    """promptfoo#7467, cache key without the tools: another tool budget is another manifest and another ledger."""
    corpus, spec, home = small_corpus(), read_spec(SPEC), Home.open(tmp_path / "home")
    other = spec.model_copy(update={"budget": spec.budget.model_copy(update={"tool_calls": 3})})
    manifests = [freeze(one, corpus, "test") for one in (spec, other)]
    assert manifests[0].fingerprint != manifests[1].fingerprint
    request = ModelRequest(model="m", system="", messages=(Message(role="user", content="x"),), temperature=0.0)
    asker = Asker(session="s", attempt="a")
    first, second = (CallLedger(home.ledger, manifest.fingerprint, manifest.budget) for manifest in manifests)
    first.finish(first.begin(request, asker, 0), ModelReply(text="y", input_tokens=1, output_tokens=1), 0.1)
    assert (first.known(request, asker, 0).text, second.known(request, asker, 0)) == ("y", None)


def test_a_temperature_of_zero_is_a_temperature(tmp_path):
    """dspy#10456: 0.0 is frozen as 0.0 and is not the same experiment as an unset or another one."""
    corpus, spec = small_corpus(), read_spec(SPEC)
    warm = spec.model_copy(update={"lm": spec.lm.model_copy(update={"temperature": 0.9})})
    cold, hot = freeze(spec, corpus, "test"), freeze(warm, corpus, "test")
    assert (cold.provider_config.lm.temperature, hot.provider_config.lm.temperature) == (0.0, 0.9)
    lab = laboratory(cold, corpus, Home.open(tmp_path / "home"), EvidenceStore(Home.open(tmp_path / "home")), silent)
    assert lab.lms()["lm"].temperature == 0.0
    assert json.loads(cold.model_dump_json())["provider_config"]["lm"]["temperature"] == 0.0
