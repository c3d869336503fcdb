"""From a model's patch text to edits, or to an explicit rejection, or to neither (a schema failure)."""

import json
import re
from typing import NamedTuple

from pydantic import TypeAdapter

from tasks.program.cleaning import clean, is_clean
from tasks.records.case import Edit

_EDITS = TypeAdapter(tuple[Edit, ...])
_REJECT = re.compile(r"\s*REJECT\s*:\s*(?P<reason>.+)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[a-z]*\n(?P<body>.*?)\n```\s*\Z", re.DOTALL)
MAX_EDITS = 20


class Parsed(NamedTuple):
    """Edits, or a rejection's reason, or `problem` when the text is neither."""

    edits: tuple[Edit, ...] = ()
    rejection: str = ""
    problem: str = ""


def parse_patch(text: str) -> Parsed:
    """Read a patch field. An empty array is no rejection: doing nothing must be said in words."""
    if match := _REJECT.match(text):
        return Parsed(rejection=clean(match["reason"].strip()[:2000]))
    fenced = _FENCE.match(text)
    try:
        edits = _EDITS.validate_python(json.loads(fenced["body"] if fenced else text))
    except (ValueError, RecursionError) as error:  # a JSONDecodeError, a ValidationError, an integer of 5,000 digits
        return Parsed(problem=f"neither a JSON array of edits nor REJECT: {str(error).splitlines()[0][:200]}")
    if not 1 <= len(edits) <= MAX_EDITS:
        return Parsed(problem=f"expected 1 to {MAX_EDITS} edits, got {len(edits)}")
    if not all(is_clean(text) for edit in edits for text in (edit.path, edit.search, edit.replace)):
        return Parsed(problem="an edit holds text that has no UTF-8 form")
    return Parsed(edits=edits)
