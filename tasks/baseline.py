"""Baseline: what the seed program scores before anyone improves it.

Takes    a Proven harness; reads dev cases only.
Gives    a Baseline: one scorecard a dev case and session, in manifest order, the noise floor, and the calibration: what
         the holdout could show, before any optimization budget is spent.
Refuses  more failures than the policy allows (Stopped: the same command tries again).
Source   DESIGN.md, "The seven stages". Sessions of one program over the same cases are an A/A comparison: their noise
         can only raise the assumed spread of `tasks.scoring.design`, never lower it.

A Baseline says whether its design is able; it is the same record whether somebody goes on without it or not.
"""

from tasks.governance.calibration import MOST_SESSIONS, Reach, aim, calibrated
from tasks.records.calibration import Calibration
from tasks.records.errors import SandboxTrouble, Underpowered
from tasks.records.manifest import Manifest
from tasks.records.stages import Baseline, Proven
from tasks.scoring.design import Design, detectable_effect, groups_for, sessions_for, sizes
from tasks.scoring.power import POWER, NoiseFloor, noise_floor
from tasks.trials.clerk import Job
from tasks.trials.grader import Grader
from tasks.trials.laboratory import Laboratory
from tasks.trials.session import attempts_on, graded

VERSION = "2"


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
    return Baseline(
        manifest=manifest.fingerprint,
        proven=proven.fingerprint,
        candidate=seed.fingerprint,
        marks=marks,
        attempts=tuple(attempt.fingerprint for attempt in done.attempts),
        noise_floor=floor.sd,
        noise_statement=floor.statement,
        minimum_detectable_effect=detectable_effect(designed(manifest, floor, margin=0.0)),
        calibration=calibration(manifest, floor),
    )


def calibration(manifest: Manifest, floor: NoiseFloor) -> Calibration:
    """What this holdout, clustered as it is, can find of what the policy declares; and what would find it."""
    wanted = aim(manifest.policy)
    design = designed(manifest, floor, wanted.margin)
    found = detectable_effect(design)
    lacking = found > wanted.effect > 0 and manifest.policy.rule != "single"  # only then is it worth a search
    sessions = sessions_for(design, wanted.effect) if lacking else None
    reach = Reach(
        detectable=found,
        power=POWER,
        cases=sum(design.group_sizes),
        groups=len(design.group_sizes),
        sessions=design.sessions,
        groups_needed=groups_for(design, wanted.effect) if lacking else None,
        sessions_needed=sessions if sessions and design.sessions < sessions <= MOST_SESSIONS else None,
    )
    return calibrated(manifest.policy, reach)


def designed(manifest: Manifest, floor: NoiseFloor, margin: float) -> Design:
    """The holdout as it is clustered, under the noise that the A/A sessions showed."""
    evaluation = manifest.independent_evaluation
    return Design(
        group_sizes=sizes([manifest.case_groups[case_id] for case_id in manifest.holdout_ids]),
        alpha=manifest.policy.alpha,
        looks=evaluation.looks,
        margin=margin,
        sessions=evaluation.sessions,
        noise_sd=floor.sd,
    )


def refuse_underpowered(found: Calibration) -> None:
    """Raises Underpowered where optimization would be paid for that no holdout of this design can reward."""
    if not found.able:
        raise Underpowered(
            f"stopped before optimization: {found.statement}. The baseline is kept and nothing else was paid for; "
            "--anyway goes on, and the decision says so"
        )
