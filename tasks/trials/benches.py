"""Benches: where the trees of each case are tested, and from how cold a start.

Takes    a sandbox for each purpose, and the environment of each case.
Gives    for each case a bench for what a program may try, and one for what decides about it.
Refuses  nothing.
Covered  what is tried may be forked from a warm interpreter. What is graded independently beside its tests starts cold,
         unless it is no candidate's.
         Where tests are judged apart, both sides may be forked, each from a zygote of its own that never sees the
         other's files: a zygote runs nothing of a candidate's, and every fork has all walls of a cold run.
Source   DESIGN.md, "Running and grading code".
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Self

from tasks.records.case import Case
from tasks.workspace.environment import Environment
from tasks.workspace.grading import Bench
from tasks.workspace.sandbox import Limits, Sandbox

BenchOf = Callable[[Case], Bench]


class Benches(NamedTuple):
    """By case: `trying` for reproduction and development validation, `grading` for independent evaluation.

    `trusted` is for trees that nobody but a case's author wrote, beside their sealed tests; it shares no written tree
    with `trying`, where a candidate's own code runs.
    """

    trying: BenchOf
    grading: BenchOf
    trusted: BenchOf

    @classmethod
    def alike(cls, bench: Bench) -> Self:
        """One bench for every case and purpose."""
        return cls(*(lambda case: bench,) * 3)  # noqa: ARG005 - whatever the case

    @classmethod
    def of(cls, trying: Sandbox, grading: Sandbox, environments: Mapping[str, Environment], limits: Limits) -> Self:
        """Benches for cases with these environments; cases that share one share a bench."""
        return cls(*(_shared(sandbox, environments, limits) for sandbox in (trying, grading, trying)))


def _shared(sandbox: Sandbox, environments: Mapping[str, Environment], limits: Limits) -> BenchOf:
    distinct = {environment.fingerprint: environment for environment in environments.values()}
    benches = {name: Bench(sandbox, environment, limits) for name, environment in distinct.items()}
    return lambda case: benches[environments[case.case_id].fingerprint]
