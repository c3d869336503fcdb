"""GEPA behind one call: reflective search over instructions, with the settings that were measured to be safe.

Takes    a student module, train and dev examples, a five-argument metric, a reflection LM, a seed.
Gives    every accepted candidate with its dev score, its parent and the metric calls spent, the proposals made, a log.
Refuses  a search that made no proposal: a reflection model that always fails otherwise returns the seed, silently.
Source   dspy/teleprompt/gepa, gepa/core; one thread (more would resubmit slow rollouts), no merge (it iterates a set).
"""

import io
import logging
import random
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

import dspy
from dspy.teleprompt.gepa.instruction_proposal import InstructionProposer
from gepa.gepa_utils import select_program_candidate_from_pareto_front
from gepa.proposer.reflective_mutation.base import CandidateSelector
from gepa.utils import ScoreThresholdStopper

from tasks.records.spec import OptimizerSpec

DO_NOT_COPY = "State general rules. Never copy names, values, paths or text of a particular case."
MAX_LOG_CHARS = 1_000_000
PLACE = re.compile(r"(?<=[\"' (])/(?:[\w.+-]+/)+")


class Found(NamedTuple):
    """One accepted candidate."""

    instructions: dict[str, str]
    dev_score: float
    metric_calls: int
    parent: int | None


class Searched(NamedTuple):
    """What a search brought; `best` is a position in `found`, the seed is at 0."""

    found: list[Found]
    best: int
    proposals: int
    metric_calls: int
    log: str


class CountingProposer(InstructionProposer):
    """The built-in proposer; counts the proposals that came out."""

    proposals = 0

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        proposed: dict[str, str] = super().__call__(*args, **kwargs)
        self.proposals += len(proposed)
        return proposed


class StatelessSelector(CandidateSelector):
    """Pareto selection whose chance depends on (seed, iteration) alone, so that a rerun chooses the same."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def select_candidate_idx(self, state: Any) -> int:
        chance = random.Random(f"selector:{self._seed}:{state.i}")  # noqa: S311
        front = state.get_pareto_front_mapping()
        return int(select_program_candidate_from_pareto_front(front, state.per_program_tracked_scores, chance))


class StatelessSampler:
    """Epoch-shuffled minibatches whose order depends on (seed, epoch) alone."""

    def __init__(self, seed: int, minibatch: int) -> None:
        self._seed, self._minibatch = seed, minibatch

    def next_minibatch_ids(self, loader: Any, state: Any) -> list[Any]:
        ids = list(loader.all_ids())
        per_epoch = -(-len(ids) // self._minibatch)
        epoch, position = divmod(state.i, per_epoch)
        random.Random(f"sampler:{self._seed}:{epoch}").shuffle(ids)  # noqa: S311
        ids += ids[: per_epoch * self._minibatch - len(ids)]
        return ids[position * self._minibatch : (position + 1) * self._minibatch]


class ExecutedComponents:
    """Round robin over the predictors that ran in the sampled trajectories; the others have nothing to reflect on."""

    def __init__(self, student: dspy.Module) -> None:
        self._signatures = {name: predictor.signature for name, predictor in student.named_predictors()}

    def __call__(self, state: Any, trajectories: Any, scores: Any, index: int, candidate: dict[str, str]) -> list[str]:
        del scores
        ran = {frozenset(entry[0].signature.fields) for data in trajectories for entry in data["trace"]}
        names = [name for name in candidate if frozenset(self._signatures[name].fields) in ran] or list(candidate)
        following = state.named_predictor_id_to_update_next_for_program_candidate
        turn = following[index]
        following[index] = turn + 1
        return [names[turn % len(names)]]


def search(
    student: dspy.Module,
    train: list[dspy.Example],
    dev: list[dspy.Example],
    metric: Callable[..., Any],
    reflection_lm: dspy.LM,
    options: OptimizerSpec,
    seed: int,
) -> Searched:
    """Run GEPA to its budget of metric calls, or until a candidate scores 1.0 on dev.

    Raises RuntimeError when not one proposal came out.
    """
    proposer = CountingProposer(max_chars=options.max_instruction_chars, additional_instructions=DO_NOT_COPY)
    gepa = dspy.GEPA(
        metric=metric,
        max_metric_calls=options.max_metric_calls,
        reflection_lm=reflection_lm,
        reflection_minibatch_size=None,  # the sampler decides
        instruction_proposer=proposer,
        component_selector=ExecutedComponents(student),
        candidate_selection_strategy=StatelessSelector(seed),
        add_format_failure_as_feedback=True,
        use_merge=False,
        num_threads=1,
        track_stats=True,
        warn_on_score_mismatch=False,
        seed=seed,
        gepa_kwargs={
            "batch_sampler": StatelessSampler(seed, options.minibatch),
            "stop_callbacks": [ScoreThresholdStopper(1.0)],
        },
    )
    compiled, log = _recorded(lambda: gepa.compile(student, trainset=train, valset=dev))
    results = compiled.detailed_results
    if proposer.proposals == 0 and results.val_aggregate_scores[0] < 1.0:
        raise RuntimeError("the search made no proposal: the reflection model never answered usably")
    found = [
        Found(_instructions(module), float(score), int(calls), parents[0])
        for module, score, calls, parents in zip(
            results.candidates,
            results.val_aggregate_scores,
            results.discovery_eval_counts,
            results.parents,
            strict=True,
        )
    ]
    return Searched(found, int(results.best_idx), proposer.proposals, int(results.total_metric_calls), log)


def _instructions(module: dspy.Module) -> dict[str, str]:
    return {name: predictor.signature.instructions for name, predictor in module.named_predictors()}


def _recorded(run: Callable[[], Any]) -> tuple[Any, str]:
    """Run, and keep what DSPy and GEPA log, without places of this machine.

    What they print is dropped: progress bars, whose rates would give equal searches unequal logs.
    """
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    logger = logging.getLogger("dspy")
    before, logger.handlers = logger.handlers, [handler]
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            result = run()
    finally:
        logger.handlers = before
    return result, PLACE.sub("", heard.getvalue())[:MAX_LOG_CHARS]
