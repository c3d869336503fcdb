"""Baseline: what the seed program scores before anyone improves it.

Takes    a Proven harness; reads dev cases only.
Gives    a Baseline: one scorecard a dev case and session, in manifest order, the noise floor and the smallest effect
         that the holdout could show, before any optimization budget is spent.
Refuses  more failures than the policy allows (Stopped: the same command tries again).
Source   DESIGN.md, "The seven stages".
"""

from tasks.records.errors import SandboxTrouble
from tasks.records.stages import Baseline, Proven
from tasks.scoring.power import design_sd, minimum_detectable_effect, noise_floor
from tasks.trials.clerk import Job
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.trials.session import attempts_on, graded

VERSION = "1"


def baseline(lab: Laboratory, proven: Proven) -> Baseline:
    """Measure the seed program over the manifest's sessions."""
    manifest = lab.manifest
    seed = manifest.program_version.candidate
    jobs = [
        Job(candidate=seed.surface, case_id=case_id, session=f"baseline-{session}", arm="baseline")
        for session in range(manifest.independent_evaluation.sessions)
        for case_id in manifest.dev_ids
    ]
    grader = Grader(lab.benches, lab.store, lab.scope("baseline"), lab.plans)
    done = attempts_on(lab, grader, "dev", [seed], jobs, "baseline attempts")
    marks, _ = graded(lab, grader, "dev", done, 1, "baseline gradings")
    if len(marks.failures) > manifest.policy.max_failures:
        first = marks.failures[0]
        raise SandboxTrouble(
            f"{len(marks.failures)} baseline attempts failed, the policy allows {manifest.policy.max_failures}; "
            f"the first: {first.case_id!r}: {first.detail}"
        )
    lab.note("baseline", asked=grader.asked, computed=grader.computed)
    floor = noise_floor(marks.scorecards)
    groups = {manifest.case_groups[case_id] for case_id in manifest.holdout_ids}
    sessions, looks = manifest.independent_evaluation.sessions, manifest.independent_evaluation.looks
    smallest = minimum_detectable_effect(
        len(groups), design_sd(floor, sessions), alpha=manifest.policy.alpha, looks=looks
    )
    return Baseline(
        manifest=manifest.fingerprint,
        proven=proven.fingerprint,
        candidate=seed.fingerprint,
        marks=marks,
        attempts=tuple(attempt.fingerprint for attempt in done.attempts),
        noise_floor=floor.sd,
        noise_statement=floor.statement,
        minimum_detectable_effect=smallest,
    )
