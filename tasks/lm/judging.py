"""Judging: whose fault it is that a provider's answer is no ordinary reply.

Takes    an Exchange as it was watched on the wire, and the kind of error that LiteLLM made of it.
Gives    trouble that may pass (PassingTrouble), trouble that waiting does not mend (ProviderTrouble), or the finish
         reason of an empty reply, where the candidate itself asked for what no healthy provider answers.
Refuses  nothing. The status on the wire decides, not the class that a library derives from it, and only a status that
         blames the request can become a score: whatever a broken server says about contexts stays its trouble.
Source   DESIGN.md, Principle 4; promptfoo#7077.
"""

import json
import re
from typing import Any, Literal

from tasks.lm.addresses import KNOWN
from tasks.lm.exchange import Exchange
from tasks.lm.secrets import scrubbed
from tasks.lm.troubles import PassingTrouble
from tasks.records.errors import ProviderTrouble
from tasks.records.spec import LM

Declined = Literal["context_length", "content_filter"]
REQUEST_AT_FAULT = {400, 413, 422}
PASSING = {408, 409, 425, 429}
_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|max(?:imum)? (?:input|prompt) (?:length|tokens)"
    r"|prompt is too long|input is too long|too many (?:input )?tokens|context overflow",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[ _](?:policy|filter|management)", re.IGNORECASE)
_NO_MONEY = re.compile(
    r"insufficient_quota|insufficient (?:quota|balance|credits?)|credit balance|billing", re.IGNORECASE
)
_FORMAT = re.compile(r"response_format|json_object|json mode|['\"]format['\"]", re.IGNORECASE)


def declined(seen: Exchange) -> Declined | None:
    """Why a healthy provider would not answer this very request: the candidate's own doing."""
    if seen.status not in REQUEST_AT_FAULT:
        return None
    said = said_in(seen)
    if _OVERFLOW.search(said):
        return "context_length"
    return "content_filter" if _FILTERED.search(said) else None


def refuses_format(seen: Exchange) -> bool:
    """Whether the provider cannot promise JSON."""
    return seen.status in REQUEST_AT_FAULT and bool(_FORMAT.search(said_in(seen)))


def trouble(lm: LM, seen: Exchange, status: int, kind: str, *, reached: bool) -> ProviderTrouble:
    """The trouble of one exchange. `reached` says that the server has answered this process before."""
    who = f"model {lm.model!r} at {lm.api_base or 'its default address'}"
    if seen.broke:
        text = scrubbed(f"{who}: {seen.broke}")
        if not seen.unreachable:
            return PassingTrouble(text)
        text = f"{text}; {_unreachable(lm)}"
        return PassingTrouble(text) if reached else ProviderTrouble(text)
    if status == 200:
        return PassingTrouble(f"{who}: an answer that is no chat completion{_quoted(seen)}")
    told = f"{who}: HTTP {status}" if status else f"{who}: {kind}"
    if status in {401, 403}:  # not quoted: providers echo keys here
        return ProviderTrouble(f"{told}: the key was refused; {_key_wanted(lm)}")
    if status == 402 or (status in PASSING and _NO_MONEY.search(said_in(seen))):
        return ProviderTrouble(f"{told}: the account has no quota left{_quoted(seen)}")
    if status == 404:
        return ProviderTrouble(f"{told}: no such model or path{_quoted(seen)}; {_missing(lm)}")
    if status in PASSING or status >= 500:
        return PassingTrouble(f"{told}{_quoted(seen)}", seen.after_seconds)
    return ProviderTrouble(f"{told}: the request was refused{_quoted(seen)}; see the spec's settings for this model")


def said_in(seen: Exchange) -> str:
    """The error's own words: code, type and message of a JSON body, else the body's beginning."""
    text = seen.body[:20_000].decode("utf-8", errors="replace")
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text[:500]
    found = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(found, dict):
        return str(found)[:500]
    return " ".join(str(found[name]) for name in ("code", "type", "message", "detail") if found.get(name))[:500]


def _quoted(seen: Exchange) -> str:
    said = re.sub(r"[^ -~]+", " ", scrubbed(said_in(seen))).strip()
    return f": {said[:200]}" if said else ""


def _key_wanted(lm: LM) -> str:
    known = KNOWN.get(lm.model.partition("/")[0])
    key = known.key if known else ""
    return f"set {key or 'the key of this provider'} in the environment"


def _unreachable(lm: LM) -> str:
    if lm.model.startswith("ollama"):
        return f"is it running? `ollama serve`, and `ollama pull {_bare(lm)}`"
    return "is a server running there?"


def _missing(lm: LM) -> str:
    if lm.model.startswith("ollama"):
        return f"`ollama pull {_bare(lm)}`"
    return f"expected a server that knows {_bare(lm)!r}; an OpenAI-compatible address mostly ends in /v1"


def _bare(lm: LM) -> str:
    return lm.model.partition("/")[2] or lm.model
