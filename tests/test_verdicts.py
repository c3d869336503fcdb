"""Verdicts: programs whose worth is known go through the real stages, and the stages say so."""

from random import Random

import pytest

from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tests.mill import ReadingBench, answering, decided, laboratory_of, mill_corpus, opened

VERDICTS = {"general": "PROMOTE", "identical": "INSUFFICIENT", "memorised": "REJECT", "copied": "REJECT"}

HOLDOUT = mill_corpus().splits["holdout"]
UNSOLVED = next(case_id for case_id in HOLDOUT if answering(0)("seed", case_id, Random(1)) == "reject")


@pytest.fixture(scope="module")
def instruments(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("instruments"))


def test_a_program_that_has_learned_to_add_is_promoted(instruments, tmp_path):
    """Every case solved that the seed program solves and most that it does not."""
    decision, paired = decided(laboratory_of(instruments, tmp_path, 0, answering(0)), "general")
    assert (decision.verdict, paired.comparison.failures) == ("PROMOTE", 0)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "expected"), VERDICTS.items())
def test_the_verdict_is_the_same_in_twenty_of_twenty_seeds(instruments, tmp_path, kind, expected):
    """General PROMOTE, identical INSUFFICIENT, overfit REJECT; a seed settles what is solved and where who slips."""
    got = [
        decided(laboratory_of(instruments, tmp_path / str(seed), seed, answering(seed)), kind)[0].verdict
        for seed in range(20)
    ]
    assert got == [expected] * 20


def test_copied_training_text_is_refused_by_the_audit_without_a_look(instruments, tmp_path):
    """The audit names the instruction and the case; the holdout stays closed."""
    decision, paired = decided(laboratory_of(instruments, tmp_path, 0, answering(0)), "copied")
    assert (decision.verdict, paired) == ("REJECT", None)
    assert "'train-0' in 'instructions of patch'" in decision.reasons[0]


def test_what_is_memorised_in_other_words_fails_on_the_holdout(instruments, tmp_path):
    """The audit reads no meaning; hard regressions, seen again in fresh sessions, reject."""
    decision, paired = decided(laboratory_of(instruments, tmp_path, 0, answering(0)), "memorised")
    assert decision.verdict == "REJECT"
    assert any(found.confirmed for found in paired.comparison.regressions)
    assert "again in fresh sessions" in decision.reasons[0]


def failing_under(lab, monkeypatch, *, arm, unwell):
    """The sandbox breaks under every grading of what this arm proposes; when `unwell`, under a probe as well."""
    real = ReadingBench.test
    broken = {"baseline": "a - b", "candidate": "a + b"}[arm]

    def tested(self, tree, nodes, sealed=None, *, hide_output=False):
        if hide_output and broken in tree.by_path["calc.py"].text and f"# {UNSOLVED}\n" in tree.by_path["calc.py"].text:
            raise SandboxTrouble("no namespace")
        return real(self, tree, nodes, sealed, hide_output=hide_output)

    def probed(sandbox):
        if unwell:
            raise SandboxUnavailable("no namespace")

    monkeypatch.setattr(ReadingBench, "test", tested)
    monkeypatch.setattr("tasks.trials.grader.probe", probed)
    return lab


def test_a_sandbox_that_breaks_voids_the_verdict_and_moves_no_score(instruments, tmp_path, monkeypatch):
    """Gradings of the candidate's patch for one case fail: no card for these, one for all others, INSUFFICIENT."""
    lab = laboratory_of(instruments, tmp_path, 0, answering(0))
    decision, paired = decided(failing_under(lab, monkeypatch, arm="candidate", unwell=True), "general")
    assert decision.verdict == "INSUFFICIENT"
    scored = [(card.arm, card.case_id) for card in paired.marks.scorecards]
    assert (scored.count(("baseline", UNSOLVED)), len(scored)) == (3, 2 * 16 * 3 - len(paired.marks.failures))
    assert {failed.case_id for failed in paired.marks.failures} == {UNSOLVED}
    assert {failed.kind for failed in paired.marks.failures} == {"sandbox"}
    assert "sessions have no score" in decision.reasons[0]


def test_a_patch_that_breaks_a_healthy_sandbox_is_a_score(instruments, tmp_path, monkeypatch):
    """The same breaks on a sandbox that holds for others: cards with nothing passed, and no failure."""
    lab = laboratory_of(instruments, tmp_path, 0, answering(0))
    _, paired = decided(failing_under(lab, monkeypatch, arm="candidate", unwell=False), "general")
    assert paired.marks.failures == ()
    broken = [card for card in paired.marks.arm("candidate").scorecards if card.case_id == UNSOLVED]
    assert len(broken) == 3
    assert {part.value for card in broken for part in card.components if part.name == "independent_tests"} == {0.0}


@pytest.mark.slow
def test_one_patch_is_judged_by_its_own_tests_under_the_single_rule(instruments, tmp_path):
    """A policy's rule is what recommend applies: a program that slips now and then is not right in every attempt."""
    always = {"general": "right", "identical": "reject"}
    verdicts = {}
    for kind in always:
        lab = laboratory_of(
            instruments, tmp_path / kind, 0, lambda kind, *_: always.get(kind, "reject"), rule="single"
        )  # fmt: skip
        decision, _ = decided(lab, kind)
        verdicts[kind] = decision.verdict
        assert decision.underpowered is False
    assert verdicts == {"general": "PROMOTE", "identical": "INSUFFICIENT"}


@pytest.mark.slow
def test_a_design_that_is_too_small_is_told_in_the_decision_and_in_no_record_before_it(instruments, tmp_path):
    """The declared effect changes the manifest, so the cards and not the names are compared."""
    found = {}
    for sought in (0.5, 0.06):
        lab = laboratory_of(instruments, tmp_path / str(sought), 0, answering(0), sought_effect=sought)
        found[sought] = decided(lab, "general")
    (able, one), (short, other) = found[0.5], found[0.06]
    assert (able.underpowered, short.underpowered) == (False, True)
    assert "Run anyway: the design cannot detect sought_effect 0.06" in " ".join(short.reasons)
    assert [card.total for card in one.marks.scorecards] == [card.total for card in other.marks.scorecards]
    assert able.verdict == short.verdict
