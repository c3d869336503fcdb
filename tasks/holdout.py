"""Holdout: one look at sealed cases, both programs interleaved, each final tree graded twice afresh.

Takes    an Audited candidate.
Gives    a Paired: scorecards of both arms over K sessions, their gradings, and the paired comparison.
Refuses  a candidate whose audit is not intact; a look that the corpus's ledger does not allow (LookRefused).
Source   DESIGN.md, "Statistics and policy". An apparent hard regression is rerun in fresh sessions.
"""

from tasks.evidence.looks import case_content
from tasks.records.attempt import Arm
from tasks.records.candidate import Candidate
from tasks.records.errors import Refusal
from tasks.records.stages import Audited, Optimized, Paired
from tasks.records.verdict import Comparison, Interval, Selection
from tasks.scoring.power import discordant_sd
from tasks.scoring.selection import selection
from tasks.scoring.statistics import compare, hard_regressions, reruns_needed
from tasks.trials.clerk import Job
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.trials.session import Pass, attempts_on, graded

VERSION = "2"


def holdout(lab: Laboratory, audited: Audited) -> Paired:
    """Take the look, and pair."""
    if not audited.audit.intact:
        raise Refusal("the holdout is closed to a candidate whose audit is not intact")
    manifest = lab.manifest
    look = lab.looks.take(
        tuple(case_content(lab.corpus.case(case_id), lab.corpus.seal(case_id)) for case_id in manifest.holdout_ids),
        manifest=manifest.fingerprint,
        candidate=audited.candidate.fingerprint,
        looks_allowed=manifest.independent_evaluation.looks,
    )
    pair = (manifest.program_version.candidate, audited.candidate)
    grader = Grader(lab.benches, lab.store, lab.scope("holdout"), lab.plans)
    done = attempts_on(lab, grader, "holdout", pair, interleaved(lab, pair), "holdout attempts")
    marks, gradings = graded(lab, grader, "holdout", done, manifest.validation_contract.regrades, "holdout gradings")
    groups = {case_id: manifest.case_groups[case_id] for case_id in manifest.holdout_ids}
    suspects = hard_regressions(marks, manifest.holdout_ids)
    confirmed, unresolved, again = rerun(lab, pair, suspects)
    lab.note("holdout", asked=grader.asked, computed=grader.computed)
    comparison = compare(
        marks,
        groups,
        manifest.holdout_ids,
        sessions=manifest.independent_evaluation.sessions,
        alpha=manifest.policy.alpha,
        looks=manifest.independent_evaluation.looks,
        minimum_effect=manifest.policy.minimum_effect,
        confirmed=confirmed,
    )
    chosen = comparison.model_copy(update={"selection": selected(lab, audited, comparison.interval)})
    attempts = (*done.attempts, *again.attempts)
    return Paired(
        manifest=manifest.fingerprint,
        audited=audited.fingerprint,
        look=look,
        marks=marks,
        attempts=tuple(attempt.fingerprint for attempt in attempts),
        gradings=gradings,
        comparison=with_reruns(chosen, unresolved, again),
    )


def selected(lab: Laboratory, audited: Audited, found: Interval) -> Selection:
    """What the candidate owes to having been the best on dev, whose cases spread as the design assumes."""
    dev_groups = {lab.manifest.case_groups[case_id] for case_id in lab.manifest.dev_ids}
    search = lab.store.get(audited.optimized, Optimized).search
    return selection(search, found, dev_groups=len(dev_groups), sd=discordant_sd())


def interleaved(lab: Laboratory, pair: tuple[Candidate, Candidate]) -> list[Job]:
    """Session by session and case by case, both arms one after the other; who goes first alternates."""
    jobs = []
    for session in range(lab.manifest.independent_evaluation.sessions):
        for position, case_id in enumerate(lab.manifest.holdout_ids):
            jobs += _both(pair, case_id, f"holdout-{session}", swap=(session + position) % 2 == 1)
    return jobs


def _both(pair: tuple[Candidate, Candidate], case_id: str, session: str, *, swap: bool) -> list[Job]:
    arms: list[tuple[Arm, Candidate]] = [("baseline", pair[0]), ("candidate", pair[1])]
    return [
        Job(candidate=candidate.surface, case_id=case_id, session=session, arm=arm)
        for arm, candidate in (reversed(arms) if swap else arms)
    ]


def rerun(
    lab: Laboratory, pair: tuple[Candidate, Candidate], suspects: tuple[str, ...]
) -> tuple[frozenset[str], frozenset[str], Pass]:
    """Fresh sessions and fresh gradings for apparent hard regressions.

    Confirmed are those that are hard regressions there too; unresolved those with a session that has no score. There
    are more fresh sessions than the policy asks for where so many cases would make programs differ by chance.
    """
    if not suspects:
        return frozenset(), frozenset(), Pass(attempts=(), failures=())
    grader = Grader(lab.benches, lab.store, lab.scope("rerun"), lab.plans)
    chance = reruns_needed(len(lab.manifest.holdout_ids), lab.manifest.independent_evaluation.sessions)
    jobs = [
        job
        for session in range(max(lab.manifest.policy.regression_reruns, chance))
        for case_id in suspects
        for job in _both(pair, case_id, f"rerun-{session}", swap=session % 2 == 1)
    ]
    done = attempts_on(lab, grader, "holdout", pair, jobs, "regression reruns")
    times = lab.manifest.validation_contract.regrades
    marks, _ = graded(lab, grader, "holdout", done, times, "regression gradings")
    unresolved = frozenset(failed.case_id for failed in marks.failures)
    confirmed = frozenset(hard_regressions(marks, suspects)) - unresolved
    return confirmed, unresolved, Pass(attempts=done.attempts, failures=marks.failures)


def with_reruns(comparison: Comparison, unresolved: frozenset[str], again: Pass) -> Comparison:
    """The comparison with what the reruns left open: what could not be rerun is not cleared."""
    regressions = tuple(
        found.model_copy(update={"resolved": found.case_id not in unresolved}) for found in comparison.regressions
    )
    failures = comparison.failures + len(again.failures)
    return comparison.model_copy(update={"regressions": regressions, "failures": failures})
