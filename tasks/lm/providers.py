"""From a model string to a provider, and what class of evidence it makes."""

from typing import Literal

from tasks.lm.addresses import OFFLINE, provider_name
from tasks.lm.offline.reflector import ReflectorEngine
from tasks.lm.offline.rules import RulesEngine
from tasks.records.protocols import Provider
from tasks.records.spec import LM


def refuse_unknown(lm: LM) -> None:
    """Raises Refusal, naming the model string and what was expected."""
    if lm.model not in OFFLINE:
        provider_name(lm.model)


def provider_of(lm: LM, seed: int) -> Provider:
    """The provider behind a model string. Raises Refusal for an unknown one."""
    if lm.model == "offline/rules":
        return RulesEngine(seed=seed)
    if lm.model == "offline/reflector":
        return ReflectorEngine()
    from tasks.lm.live import LiteLLMProvider  # an offline run never loads LiteLLM

    return LiteLLMProvider(lm)


def evidence_class(*lms: LM) -> Literal["fixture", "model"]:
    """`fixture` as soon as one model is an offline engine: it shows that the harness works, not that a model does."""
    return "fixture" if any(lm.model in OFFLINE for lm in lms) else "model"
