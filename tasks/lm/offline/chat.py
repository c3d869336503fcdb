"""Chat: what a model sees of DSPy, an instruction in the system prompt and `[[ ## field ## ]]` sections in the message.

Takes    a ModelRequest in the shape of DSPy's ChatAdapter or JSONAdapter.
Gives    a Prompt, and a reply in the form that the prompt asks for.
Refuses  nothing: garbage gives a Prompt without fields.
Source   dspy 3.4.1, adapters/chat_adapter.py and json_adapter.py, as captured.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.records.model import ModelReply, ModelRequest

_OBJECTIVE = "In adhering to this structure, your objective is:"
_FIELD = re.compile(r"^\s*\d+\. `(\w+)`", re.MULTILINE)
_MARKER = re.compile(r"^\[\[ ## (\w+) ## \]\][ \t]*$", re.MULTILINE)
CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class Prompt:
    """One call as text: the instruction, the inputs by name, the names of the outputs, and the form of the answer."""

    instruction: str
    inputs: Mapping[str, str]
    outputs: tuple[str, ...]
    wants_json: bool

    def text(self, name: str) -> str:
        """An input's text, or the empty string."""
        return self.inputs.get(name, "")


def read_prompt(request: ModelRequest) -> Prompt:
    """Only declared input fields split the last user message, so a marker inside a value is part of the value."""
    head, _, instruction = request.system.partition(_OBJECTIVE)
    told, _, outputs = head.partition("Your output fields are:")
    outputs = outputs.partition("All interactions will be structured")[0]
    message = next((message.content for message in reversed(request.messages) if message.role == "user"), "")
    body, _, closing = message.rpartition("\n\nRespond with ")
    names = tuple(_FIELD.findall(told.partition("Your input fields are:")[2]))
    wants_json = request.response_format == "json" or "Outputs will be a JSON object" in head
    return Prompt(
        instruction="\n".join(line.strip() for line in instruction.strip().splitlines()),
        inputs=_sections(body or message, names),
        outputs=tuple(_FIELD.findall(outputs)),
        wants_json=wants_json or closing.startswith("a JSON object"),
    )


def _sections(text: str, names: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, tuple[int, int]] = {}
    for match in _MARKER.finditer(text):
        if match[1] in names and match[1] not in found:
            found[match[1]] = (match.start(), match.end())
    starts = [*sorted(start for start, _ in found.values()), len(text)]
    return {
        name: text[end : next(other for other in starts if other > start)].strip("\n")
        for name, (start, end) in found.items()
    }


def answer(prompt: Prompt, values: Mapping[str, Any]) -> str:
    """The reply text: JSON where JSON is asked for, else one section a field; values other than text are JSON."""
    if prompt.wants_json:
        return json.dumps(dict(values), ensure_ascii=False)
    parts = [f"[[ ## {name} ## ]]\n{_plain(value)}" for name, value in values.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]\n"])


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("[[ ##", "[ [##")


def reply_to(request: ModelRequest, text: str) -> ModelReply:
    """A free reply; tokens are estimated as four characters each."""
    asked = len(request.system) + sum(len(message.content) for message in request.messages)
    return ModelReply(text=text, input_tokens=asked // CHARS_PER_TOKEN, output_tokens=len(text) // CHARS_PER_TOKEN)
