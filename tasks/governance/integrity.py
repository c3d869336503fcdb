"""Integrity: whether a candidate's evidence is intact; its quality is never looked at.

Takes    Exhibits: what was frozen, what was found, what was said and spent, as plain values.
Gives    one Check an assurance, in a fixed order, each with a detail; an Audit of all of them.
Refuses  nothing: what does not hold is a Check that did not pass.
Source   DESIGN.md, "The seven stages", audit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from tasks.governance.leakage import canaries_in, copies, host_paths, named_in
from tasks.records.candidate import Candidate, Search
from tasks.records.manifest import Manifest
from tasks.records.verdict import Audit, Check


@dataclass(frozen=True)
class Spent:
    """What the call ledger says was spent, in the units of a Budget."""

    lm_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class Exhibits:
    """All that the audit reads. Texts are {name: text}; calls are {attempt: LM calls}.

    `holdout_texts` and `train_texts` are {case id: issue and sealed text}; `shared_texts` holds what nobody copies by
    using it, such as constraints that visible cases have in common. Failed attempts count in `reported_calls` too.
    """

    manifest: Manifest
    frozen_fingerprint: str
    candidate: Candidate
    found_fingerprint: str
    search: Search
    tool_surface_version: str
    spent: Spent
    ledger_calls: Mapping[str, int]
    reported_calls: Mapping[str, int]
    lm_requests: Mapping[str, str] = field(default_factory=dict)
    optimizer_log: Mapping[str, str] = field(default_factory=dict)
    evidence_packets: Mapping[str, str] = field(default_factory=dict)
    canaries: Mapping[str, str] = field(default_factory=dict)
    holdout_texts: Mapping[str, str] = field(default_factory=dict)
    train_texts: Mapping[str, str] = field(default_factory=dict)
    shared_texts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    visible_paths: tuple[str, ...] = ()

    @property
    def instructions(self) -> dict[str, str]:
        """What an optimizer could write: instructions and demonstrations, by predictor."""
        told = {f"instructions of {name}": text for name, text in self.candidate.instructions.items()}
        shown = {
            f"demos of {name}": " ".join(chain.from_iterable(demo.values() for demo in demos))
            for name, demos in self.candidate.demos.items()
        }
        return told | shown

    @property
    def texts(self) -> dict[str, str]:
        """Everything that was written before the boundary of the holdout."""
        kinds = {
            "LM request": self.lm_requests,
            "optimizer log": self.optimizer_log,
            "evidence packet": self.evidence_packets,
        }  # kinds keep apart texts of one name
        said = {f"{kind} {name}": text for kind, texts in kinds.items() for name, text in texts.items()}
        return self.instructions | said


def audit(exhibits: Exhibits) -> Audit:
    """Every check, whether or not an earlier one failed."""
    checks = tuple(check(exhibits) for check in CHECKS)
    return Audit(manifest=exhibits.frozen_fingerprint, candidate=exhibits.candidate.fingerprint, checks=checks)


def manifest_unchanged(exhibits: Exhibits) -> Check:
    return _same("manifest_unchanged", exhibits.frozen_fingerprint, exhibits.manifest.fingerprint)


def candidate_unchanged(exhibits: Exhibits) -> Check:
    return _same("candidate_unchanged", exhibits.found_fingerprint, exhibits.candidate.fingerprint)


def tool_surface_unchanged(exhibits: Exhibits) -> Check:
    return _same("tool_surface_unchanged", exhibits.manifest.tool_surface_version, exhibits.tool_surface_version)


def only_declared_predictors(exhibits: Exhibits) -> Check:
    """The same program, exactly its predictors, and an instruction for each within the declared length."""
    seed, most = exhibits.manifest.program_version.candidate, exhibits.manifest.optimizer_config.max_instruction_chars
    ours, declared = exhibits.candidate.instructions, set(seed.instructions)
    seen = set(ours) | set(exhibits.candidate.demos)
    problems = [f"undeclared predictor {name!r}" for name in sorted(seen - declared)]
    problems += [f"missing predictor {name!r}" for name in sorted(declared - set(ours))]
    problems += [f"empty instruction of {name!r}" for name, text in sorted(ours.items()) if not text.strip()]
    problems += [
        f"instruction of {name!r} has {len(text)} characters, at most {most}"
        for name, text in sorted(ours.items())
        if len(text) > most
    ]
    if exhibits.candidate.program != seed.program:
        problems.append(f"program {exhibits.candidate.program!r}, expected {seed.program!r}")
    return _clean("only_declared_predictors", problems, f"{len(ours)} instructions, each within {most} characters")


def canary_absent(exhibits: Exhibits) -> Check:
    found = canaries_in(exhibits.texts, exhibits.canaries)
    return _clean("canary_absent", found, f"{len(exhibits.canaries)} canaries sought in {len(exhibits.texts)} texts")


def holdout_absent(exhibits: Exhibits) -> Check:
    """Neither an id nor eight consecutive words of a holdout case, anywhere before the boundary."""
    named = list(named_in(exhibits.texts, exhibits.manifest.holdout_ids))
    return _clean(
        "holdout_absent",
        named + _copies(exhibits.texts, exhibits.holdout_texts, exhibits.shared_texts),
        f"{len(exhibits.manifest.holdout_ids)} holdout cases sought in {len(exhibits.texts)} texts",
    )


def not_copied(exhibits: Exhibits) -> Check:
    """Instructions hold no eight consecutive words of a training case that the seed program did not hold already.

    What visible cases say is no excuse here: training cases are visible, and would all excuse themselves.
    """
    known = tuple(exhibits.manifest.program_version.candidate.instructions.values())
    found = _copies(exhibits.instructions, exhibits.train_texts, known)
    return _clean("not_copied", found, f"{len(exhibits.train_texts)} training cases compared with the instructions")


def host_path_absent(exhibits: Exhibits) -> Check:
    found = [
        f"{path!r} in {name!r}"
        for name, text in sorted(exhibits.texts.items())
        for path in host_paths(text, exhibits.homes, allowed=exhibits.visible_paths)
    ]
    return _clean("host_path_absent", found, f"no path of this machine in {len(exhibits.texts)} texts")


def budget_kept(exhibits: Exhibits) -> Check:
    spent, budget = exhibits.spent, exhibits.manifest.budget
    pairs = {
        "lm_calls": (spent.lm_calls, budget.lm_calls),
        "tokens": (spent.tokens, budget.tokens),
        "cost_usd": (spent.cost_usd, budget.cost_usd),
        "seconds": (spent.seconds, budget.seconds),
    }
    over = [f"{name} {got:g} over {most:g}" for name, (got, most) in pairs.items() if got > most]
    # What was spent differs from run to run, a killed one spends more; figures would give equal evidence unequal names.
    return _clean("budget_kept", over, f"{', '.join(pairs)} are within the budget")


def ledger_agrees(exhibits: Exhibits) -> Check:
    """What the worker reported is what the broker counted, attempt by attempt."""
    ledger, reported = exhibits.ledger_calls, exhibits.reported_calls
    wrong = [
        f"attempt {name!r}: {ledger.get(name, 0)} calls in the ledger, {reported.get(name, 0)} reported"
        for name in sorted({*ledger, *reported})
        if ledger.get(name, 0) != reported.get(name, 0)
    ]
    return _clean("ledger_agrees", wrong, f"{sum(ledger.values())} calls of {len(ledger)} attempts agree")


def search_proposed(exhibits: Exhibits) -> Check:
    """A search that proposed nothing is an error that looks like a success (gepa#375, #376, #450)."""
    made = exhibits.search.proposals
    return Check(name="search_proposed", passed=made >= 1, detail=f"{made} proposals, at least 1 expected")


def _same(name: str, expected: str, actual: str) -> Check:
    return Check(
        name=name,
        passed=expected == actual,
        detail=f"{actual} as recorded" if expected == actual else f"expected {expected!r}, got {actual!r}",
    )


def _clean(name: str, problems: list[str] | tuple[str, ...], fine: str) -> Check:
    return Check(name=name, passed=not problems, detail="; ".join(problems) or fine)


def _copies(texts: Mapping[str, str], sources: Mapping[str, str], known: tuple[str, ...]) -> list[str]:
    return [
        f"words of {source!r} in {name!r}: {words!r}" for name, source, words in copies(texts, sources, known=known)
    ]


CHECKS: tuple[Callable[[Exhibits], Check], ...] = (
    manifest_unchanged,
    candidate_unchanged,
    tool_surface_unchanged,
    only_declared_predictors,
    canary_absent,
    holdout_absent,
    not_copied,
    host_path_absent,
    budget_kept,
    ledger_agrees,
    search_proposed,
)
