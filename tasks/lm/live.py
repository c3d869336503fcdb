"""Live models: any LiteLLM string, any OpenAI-compatible address, one request at a time.

Takes    a request that the broker has compared with the manifest.
Gives    the provider's reply with its usage, dollars where the price is known, and finish reason. The text goes on as
         it came: what a healthy provider answers is the candidate's own score, and so is a request that overflows the
         model's context or that its filter declines (an empty reply that says so).
Refuses  a missing key (Refusal, before anything leaves); what `judging` calls trouble, an empty answer among it.
Covered      exactly the manifest's temperature and max_tokens; no retry, cache, callback or telemetry of any library;
             keys are read by LiteLLM from the environment, and taken out of every text that comes back.
Not covered  tokens of an answer that was billed and could not be used count as a call, not as tokens.
"""

import os
from typing import Any

from tasks.lm.addresses import missing_keys, provider_name
from tasks.lm.exchange import EXCHANGE, Exchange
from tasks.lm.judging import declined, refuses_format, trouble
from tasks.lm.loading import litellm, unwarned
from tasks.lm.secrets import without_known
from tasks.lm.troubles import PassingTrouble
from tasks.records.errors import ProviderTrouble, Refusal
from tasks.records.model import Asker, ModelReply, ModelRequest
from tasks.records.spec import LM

FINISHED = {"stop", "end_turn", ""}
NO_KEY = "none"  # OpenAI's client insists on one, also for a server of one's own
FREE = {"ollama", "ollama_chat"}  # run on a machine of one's own


class LiteLLMProvider:
    """One model behind LiteLLM."""

    def __init__(self, lm: LM) -> None:
        self._lm, self._provider = lm, provider_name(lm.model)
        self._reached = False
        self._json_mode: bool | None = None  # not asked yet

    def complete(self, request: ModelRequest, asker: Asker, occurrence: int) -> ModelReply:
        """Raises Refusal, PassingTrouble or ProviderTrouble, never another error, and none with a cause attached."""
        del asker, occurrence  # who asks is nothing to a provider
        if missing := missing_keys(self._lm):
            raise Refusal(f"model {self._lm.model!r} needs a key: set {' and '.join(missing)} in the environment")
        sent = self._arguments(request)
        seen = Exchange(limit_seconds=self._lm.timeout_seconds)
        found = self._exchanged(sent, seen)
        self._reached = self._reached or seen.status is not None
        if isinstance(found, ProviderTrouble):  # raised here, so that no traceback leads to a library's own words
            raise found
        return found

    def _exchanged(self, sent: dict[str, Any], seen: Exchange) -> ModelReply | ProviderTrouble:
        token = EXCHANGE.set(seen)
        try:
            with unwarned():
                return self._reply(litellm().completion(**sent))
        except Exception as error:  # noqa: BLE001 - whatever a library makes of it, the wire says what it was
            return self._judged(error, seen, asked_json="response_format" in sent)
        finally:
            EXCHANGE.reset(token)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        sent: dict[str, Any] = {
            "model": self._lm.model,
            "messages": [*system, *(message.body() for message in request.messages)],
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "timeout": self._lm.timeout_seconds,
            "num_retries": 0,
            "max_retries": 0,
            "caching": False,
            "no-log": True,
        }
        if self._lm.api_base:
            sent["api_base"] = self._lm.api_base
        if self._provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
            sent["api_key"] = NO_KEY
        if request.response_format == "json" and self._promises_json():
            sent["response_format"] = {"type": "json_object"}
        return sent

    def _promises_json(self) -> bool:
        if self._json_mode is None:
            known = litellm().get_supported_openai_params(self._lm.model) or []
            self._json_mode = "response_format" in known
        return self._json_mode

    def _reply(self, answer: Any) -> ModelReply | ProviderTrouble:
        choice = answer.choices[0]
        text, finished = choice.message.content or "", str(choice.finish_reason or "")
        if not isinstance(text, str):
            raise TypeError("content is no text")
        if not text.strip() and finished in FINISHED:
            who = f"model {self._lm.model!r} at {self._lm.api_base or 'its default address'}"
            return PassingTrouble(f"{who}: an empty answer with finish reason {finished!r}")
        usage = answer.usage
        cost = self._cost(answer)
        return ModelReply(
            text=without_known(text),
            input_tokens=int(usage.prompt_tokens or 0),
            output_tokens=int(usage.completion_tokens or 0),
            cost_usd=cost or 0.0,
            cost_known=cost is not None,
            finish_reason=finished or "stop",
        )

    def _cost(self, answer: Any) -> float | None:
        """Dollars, or None when LiteLLM's own price list does not know the model."""
        if self._provider in FREE:
            return 0.0
        try:
            return float(litellm().completion_cost(answer, model=self._lm.model))
        except Exception:  # noqa: BLE001 - it raises a bare one for an unknown model
            return None

    def _judged(self, error: Exception, seen: Exchange, *, asked_json: bool) -> ModelReply | ProviderTrouble:
        if why := declined(seen):
            return ModelReply(text="", input_tokens=0, output_tokens=0, finish_reason=why)
        if asked_json and refuses_format(seen):
            self._json_mode = False
            return PassingTrouble(f"model {self._lm.model!r} cannot promise JSON; asked again without", after_seconds=0)
        told = getattr(error, "status_code", None)
        status = seen.status or (told if isinstance(told, int) else 0)
        return trouble(self._lm, seen, status, type(error).__name__, reached=self._reached)
