"""`offline/rules`: a deterministic engine that computes each reply from the text of the request alone.

Takes    a ModelRequest in DSPy's shape, who asks, and the occurrence.
Gives    a ModelReply in the form that the prompt asks for.
Refuses  nothing: any text gets an answer.
Covered      no case id, control patch, sealed test, file, clock or network is looked at; text is parsed, never run.
Not covered  it knows a handful of bug families (values, boundaries, absence, names) and says so about the rest.
Source       DESIGN.md, "Models". A lesson is used only where the instruction asks for it in words: lessons.py.
"""

from functools import lru_cache
from typing import Any

from tasks.lm.offline.chat import Prompt, answer, read_prompt, reply_to
from tasks.lm.offline.diagnosis import diagnosed
from tasks.lm.offline.explore import next_call
from tasks.lm.offline.patching import interpreted, patched, rejection, revised
from tasks.records.fingerprint import sha256
from tasks.records.model import Asker, ModelReply, ModelRequest

MISS_BITS = 53


class RulesEngine:
    """The engine; `miss_rate` is the share of patch calls, by session, that end in an honest rejection."""

    def __init__(self, seed: int, miss_rate: float = 0.05) -> None:
        self.seed, self.miss_rate = seed, miss_rate

    def complete(self, request: ModelRequest, asker: Asker, occurrence: int) -> ModelReply:
        """The reply; equal for equal text, except for the seeded misses."""
        text, is_patch = _computed(request)
        if is_patch and self.misses(request, asker, occurrence):
            missed = rejection("the engine did not see its way this time (a declared, seeded miss)")
            text = answer(read_prompt(request), missed)
        return reply_to(request, text)

    def misses(self, request: ModelRequest, asker: Asker, occurrence: int) -> bool:
        """Whether a uniform number from seed, session, request and occurrence is below the rate."""
        named = f"{self.seed}\n{asker.session}\n{request.fingerprint}\n{occurrence}"
        return int(sha256(named.encode())[:16], 16) >> (64 - MISS_BITS) < self.miss_rate * (1 << MISS_BITS)


@lru_cache(maxsize=1024)  # all that one pass over a holdout of some dozen cases asks, session after session
def _computed(request: ModelRequest) -> tuple[str, bool]:
    """The reply's text, and whether it answers a patch call; a cache of a pure function."""
    prompt = read_prompt(request)
    return answer(prompt, values(prompt)), "patch" in prompt.outputs


def values(prompt: Prompt) -> dict[str, Any]:
    """The output fields, by the names that the prompt declares."""
    outputs = set(prompt.outputs)
    if {"tool", "arguments"} <= outputs:
        tool, arguments = next_call(prompt)
        return {"tool": tool, "arguments": arguments}
    if {"diagnosis", "suspected_files"} <= outputs:
        return diagnosed(prompt)
    if "patch" in outputs:
        return revised(prompt) if "rejected_patch" in prompt.inputs else patched(prompt)
    if {"failure_analysis", "revision_strategy"} <= outputs:
        return interpreted(prompt)
    return dict.fromkeys(prompt.outputs, "This engine has no rule for that field.")
