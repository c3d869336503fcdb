"""`offline/reflector`: turns feedback into at most one general lesson a call, for DSPy's InstructionProposer.

Takes    a request with current_instruction and examples_with_feedback.
Gives    the new instruction: the current one and one sentence; never a name, path, value or word of a case.
Refuses  to learn from feedback that does not belong to its example: a lesson needs a failing test of the feedback, and
         a file of its traceback where it shows one, to stand in that example's own Inputs.
Covered      shuffled feedback, scores without output, and examples that passed teach nothing but care.
Not covered  it knows four lessons; everything else is met with a general sentence.
Source       DESIGN.md, "Models"; dspy 3.4.1, teleprompt/gepa/instruction_proposal.py.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.lm.offline.chat import Prompt, answer, read_prompt, reply_to
from tasks.lm.offline.failure import Failure, read_failure
from tasks.lm.offline.lessons import SENTENCES, Lesson, lessons_in
from tasks.lm.offline.names import missing_name
from tasks.records.model import Asker, ModelReply, ModelRequest

GENERIC = "Be careful and precise."
_LIMIT = re.compile(r"at most (\d+) characters")
_BOOLEAN = re.compile(r"^E\s+assert (?:not )?(?:True|False)\b", re.MULTILINE)
_ONE_MORE = re.compile(r"contains one more item")
_FAILING = re.compile(r"^- (?P<node>\S+\.py::\S+): (?:failed|error)$", re.MULTILINE)
_ABSENT_KINDS = frozenset({"ZeroDivisionError", "IndexError", "KeyError", "StopIteration"})
_NAME_KINDS = frozenset({"ImportError", "NameError", "AttributeError", "ModuleNotFoundError"})


@dataclass(frozen=True)
class Told:
    """One example: what the predictor was given, and the feedback on the attempt."""

    inputs: Mapping[str, str]
    feedback: str

    @property
    def passed(self) -> bool:
        return "independent evaluation: passed" in self.feedback

    @property
    def output(self) -> str:
        """What the tests printed; empty below the level `full`."""
        return self.feedback.partition("### Output\n")[2]

    @property
    def grounded(self) -> bool:
        """Whether the feedback is about what this example was given."""
        given = "\n".join(self.inputs.values())
        paths = {frame.path for frame in read_failure(self.output).source_frames}
        nodes = [match["node"] for match in _FAILING.finditer(self.feedback)]
        return any(node in given for node in nodes) and (not paths or any(path in given for path in paths))


class ReflectorEngine:
    """The engine; it has no state and no chance."""

    def complete(self, request: ModelRequest, asker: Asker, occurrence: int) -> ModelReply:
        """The reply; equal for equal text."""
        del asker, occurrence
        prompt = read_prompt(request)
        return reply_to(request, answer(prompt, _values(prompt)))


def _values(prompt: Prompt) -> dict[str, Any]:
    if "new_instruction" in prompt.outputs:
        return {"new_instruction": proposed(prompt)}
    if "shortened_instruction" in prompt.outputs:
        return {"shortened_instruction": shortened(prompt.text("instruction"), prompt.text("length_limit"))}
    return dict.fromkeys(prompt.outputs, "This engine has no rule for that field.")


def proposed(prompt: Prompt) -> str:
    """The current instruction and one sentence, as long as the limit allows it."""
    current = prompt.text("current_instruction")
    sentence = _sentence(current, examples(prompt.text("examples_with_feedback")))
    longer = f"{current.rstrip()} {sentence}".strip()
    limit = _LIMIT.search(prompt.text("length_limit"))
    return current if sentence in current or (limit and len(longer) > int(limit[1])) else longer


def _sentence(current: str, told: list[Told]) -> str:
    """The first lesson, in the order of the examples, that the instruction does not hold."""
    known = lessons_in(current)
    drawn = (lesson for one in told if (lesson := lesson_of(one)) is not None)
    return next((SENTENCES[lesson] for lesson in drawn if lesson not in known), GENERIC)


def lesson_of(told: Told) -> Lesson | None:
    """What one example teaches the predictor that was given its Inputs, or None."""
    if told.passed or not told.output or not told.grounded:
        return None
    lesson = classified(read_failure(told.output))
    fields = set(told.inputs)
    if lesson == "places":
        return lesson if fields & {"diagnosis", "rejected_patch"} and "repository_evidence" in fields else None
    return lesson if "repository_evidence" in fields and not fields & {"diagnosis", "rejected_patch"} else None


def classified(failure: Failure) -> Lesson | None:
    """The lesson that the shape of a failure calls for."""
    if failure.kind == "AssertionError":
        return "boundaries" if _is_edge(failure) else "values"
    if failure.kind in _ABSENT_KINDS or "NoneType" in failure.message or "empty" in failure.message:
        return "absence"
    if failure.kind in _NAME_KINDS or missing_name(failure.message):
        return "places"
    return None


def _is_edge(failure: Failure) -> bool:
    """A yes that should be a no, one item too many or too few, or a count that is off by one."""
    if _BOOLEAN.search(failure.text) or _ONE_MORE.search(failure.text):
        return True
    if failure.actual in ("True", "False") or failure.expected in ("True", "False"):
        return True
    sides = (failure.actual, failure.expected)
    return all(re.fullmatch(r"-?\d{1,15}", side) for side in sides) and abs(int(sides[0]) - int(sides[1])) == 1


def examples(text: str) -> list[Told]:
    """The examples of the prompt; none where it is no JSON."""
    try:
        rows, _ = json.JSONDecoder().raw_decode(text.strip())
    except (json.JSONDecodeError, RecursionError):
        return []
    found = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get("Inputs"), dict):
            inputs = {str(name): str(value) for name, value in row["Inputs"].items()}
            found.append(Told(inputs=inputs, feedback=str(row.get("Feedback", ""))))
    return found


def shortened(instruction: str, limit: str) -> str:
    """Whole sentences from the start, as many as fit."""
    found = _LIMIT.search(limit)
    most = int(found[1]) if found else len(instruction)
    kept = ""
    for sentence in re.split(r"(?<=[.!?])\s+", instruction.strip()):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > most:
            break
        kept = longer
    return kept or instruction[:most]
