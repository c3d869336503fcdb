"""Model broker: the parent's end. Keys, providers, the ledger and the budget are on this side only.

Takes    a request from the worker, checked against the frozen manifest.
Gives    a reply, bought once by (session, attempt, request, occurrence) and reused ever after.
Refuses  a model or a temperature other than the manifest's (Damaged: the noise floor depends on both); a call beyond
         the budget (BudgetSpent); an answer that does not come within the provider's patience (ProviderTrouble).
"""

import time
from collections import Counter

from tasks.lm.ledger import CallLedger
from tasks.records.errors import Damaged, ProviderTrouble
from tasks.records.model import Asker, ModelReply, ModelRequest
from tasks.records.protocols import Provider
from tasks.records.spec import LM

REFLECTION = "reflection"


class ModelBroker:
    """Answers one worker. `ask_as` says on whose behalf the next requests come."""

    def __init__(self, ledger: CallLedger, lms: dict[str, LM], providers: dict[str, Provider]) -> None:
        self._ledger, self._lms, self._providers = ledger, lms, providers
        self._asker = Asker(session="", attempt="")
        self._occurrences: Counter[tuple[str, str, str]] = Counter()
        self.used: Counter[str] = Counter()  # lm_calls, input_tokens, output_tokens of the present asker

    def ask_as(self, session: str, attempt: str) -> None:
        """Requests from here on belong to this attempt."""
        self._asker = Asker(session=session, attempt=attempt)
        self.used.clear()

    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Damaged, BudgetSpent or ProviderTrouble; see the head of this page."""
        lm = self._lms.get(request.model)
        if lm is None:
            raise Damaged(f"the worker asked for model {request.model!r}, expected one of {sorted(self._lms)}")
        if (request.temperature, request.max_tokens) != (lm.temperature, lm.max_tokens):
            raise Damaged(
                f"a request to {request.model!r} carries temperature {request.temperature!r} and max_tokens "
                f"{request.max_tokens!r}, the manifest says {lm.temperature!r} and {lm.max_tokens!r}"
            )
        key = (self._asker.session, self._asker.attempt, request.fingerprint)
        occurrence = self._occurrences[key]
        self._occurrences[key] += 1
        reply = self._ledger.known(request, self._asker, occurrence) or self._buy(request, occurrence)
        self.used.update(lm_calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        return reply

    def _buy(self, request: ModelRequest, occurrence: int) -> ModelReply:
        ticket = self._ledger.begin(request, self._asker, occurrence)
        started = time.monotonic()
        try:
            reply = self._providers[request.model].complete(request, self._asker, occurrence)
        except ProviderTrouble as trouble:
            self._ledger.fail(ticket, str(trouble), time.monotonic() - started)
            raise
        # A lone surrogate has no canonical form and would break the evidence, not the candidate.
        reply = reply.model_copy(update={"text": reply.text.encode("utf-8", errors="replace").decode("utf-8")})
        self._ledger.finish(ticket, reply, time.monotonic() - started)
        return reply
