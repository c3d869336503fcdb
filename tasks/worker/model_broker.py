"""Model broker: the parent's end. Keys, providers, the ledger and the budget are on this side only.

Takes    a request from the worker, checked against the frozen manifest.
Gives    a reply, bought once by (session, attempt, request, occurrence) and reused ever after.
Refuses  a model or a temperature other than the manifest's (Damaged: the noise floor depends on both); a call beyond
         the budget (BudgetSpent); an answer that does not come within the provider's patience (ProviderTrouble).
"""

from collections import Counter

from tasks.lm.buying import buy
from tasks.lm.ledger import CallLedger
from tasks.records.errors import Damaged
from tasks.records.model import Asker, ModelReply, ModelRequest
from tasks.records.protocols import Provider
from tasks.records.spec import LM

REFLECTION = "reflection"


class ModelBroker:
    """Answers one worker; models and providers by role. `ask_as` says on whose behalf the next requests come."""

    def __init__(self, ledger: CallLedger, lms: dict[str, LM], providers: dict[str, Provider]) -> None:
        self._ledger, self._lms, self._providers = ledger, lms, providers
        self._asker = Asker(session="", attempt="")
        self._occurrences: Counter[tuple[str, str, str]] = Counter()
        self.used: Counter[str] = Counter()  # lm_calls, input_tokens, output_tokens of the present asker
        self.systems: list[str] = []  # the system texts of its requests
        self.messages: list[str] = []  # the last message of each of its requests

    def ask_as(self, session: str, attempt: str) -> None:
        """Requests from here on belong to this attempt."""
        self._asker = Asker(session=session, attempt=attempt)
        self.used.clear()
        self.systems.clear()
        self.messages.clear()

    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Damaged, BudgetSpent or ProviderTrouble; see the head of this page."""
        role = self._role(request)
        key = (self._asker.session, self._asker.attempt, request.fingerprint)
        occurrence = self._occurrences[key]
        self._occurrences[key] += 1
        reply = self._ledger.known(request, self._asker, occurrence) or self._buy(role, request, occurrence)
        self.systems.append(request.system)
        self.messages.extend(message.content for message in request.messages[-1:])
        self.used.update(lm_calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
        return reply

    def _role(self, request: ModelRequest) -> str:
        """Whose settings the request carries: one model may serve as both, under different settings."""
        named = {role: lm for role, lm in self._lms.items() if lm.name == request.model}
        if not named:
            expected = sorted(lm.name for lm in self._lms.values())
            raise Damaged(f"the worker asked for model {request.model!r}, expected one of {expected}")
        for role, lm in named.items():
            if (request.temperature, request.max_tokens) == (lm.temperature, lm.max_tokens):
                return role
        frozen = " or ".join(f"{lm.temperature!r} and {lm.max_tokens!r}" for lm in named.values())
        raise Damaged(
            f"a request to {request.model!r} carries temperature {request.temperature!r} and max_tokens "
            f"{request.max_tokens!r}, the manifest says {frozen}"
        )

    def _buy(self, role: str, request: ModelRequest, occurrence: int) -> ModelReply:
        patience = self._lms[role].patience_seconds
        return buy(self._ledger, self._providers[role], request, self._asker, occurrence, patience)
