"""Where a model string leads: provider, server address, and the environment variables that hold its key.

Takes    an LM as a person wrote it.
Gives    the LM with the address that will be called, so that the manifest records it and no variable can move it later.
Refuses  (exit 2) a string that LiteLLM does not know; an address with credentials in it, wherever it was written.
"""

import os
from typing import NamedTuple

from pydantic import ValidationError

from tasks.records.errors import Refusal
from tasks.records.spec import LM

OFFLINE = ("offline/rules", "offline/reflector")
EXPECTED = f"{', '.join(OFFLINE)}, or a LiteLLM string such as openai/gpt-4o-mini or ollama_chat/qwen3:latest"


class Known(NamedTuple):
    """A provider whose default address LiteLLM does not tell; `key` is empty where none is needed."""

    key: str
    moved_by: tuple[str, ...]
    base: str


KNOWN = {
    "openai": Known("OPENAI_API_KEY", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), "https://api.openai.com/v1"),
    "anthropic": Known("ANTHROPIC_API_KEY", ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"), "https://api.anthropic.com"),
    "ollama": Known("", ("OLLAMA_API_BASE",), "http://localhost:11434"),
    "ollama_chat": Known("", ("OLLAMA_API_BASE",), "http://localhost:11434"),
}


def provider_name(model: str) -> str:
    """The provider of a model string. Raises Refusal for an unknown one."""
    named = model.partition("/")[0]
    return named if named in KNOWN and model.partition("/")[2] else _resolved(model)[0]


def settled(lm: LM) -> LM:
    """The LM with its address: the spec's own, else the environment's, else the provider's."""
    if lm.model in OFFLINE or lm.api_base:
        return lm
    name = provider_name(lm.model)
    if known := KNOWN.get(name):
        moved = next((variable for variable in known.moved_by if os.environ.get(variable)), None)
        return _addressed(lm, os.environ[moved] if moved else known.base, moved or name)
    base = _resolved(lm.model)[1]
    return _addressed(lm, base, name) if base else lm


def _addressed(lm: LM, base: str, source: str) -> LM:
    try:
        return LM.model_validate({**lm.body(), "api_base": base})
    except ValidationError:
        raise Refusal(f"{source} must hold a plain http:// or https:// address, without credentials") from None


def _resolved(model: str) -> tuple[str, str | None]:
    if model.startswith("offline/"):
        raise Refusal(f"unknown model {model!r}: expected {EXPECTED}")
    from tasks.lm.loading import litellm

    try:
        _, name, _, base = litellm().get_llm_provider(model)
    except Exception:  # noqa: BLE001 - whatever it says, the string is unknown, and its text may hold more than that
        raise Refusal(f"unknown model {model!r}: expected {EXPECTED}") from None
    return str(name), base if isinstance(base, str) else None


def missing_keys(lm: LM) -> list[str]:
    """Environment variables that a call needs and that are not set. A server of one's own needs none."""
    name = provider_name(lm.model)
    if known := KNOWN.get(name):
        own = lm.api_base != known.base
        return [known.key] if known.key and not own and not os.environ.get(known.key) else []
    from tasks.lm.loading import litellm

    return [str(key) for key in litellm().validate_environment(lm.model, api_base=lm.api_base)["missing_keys"]]
