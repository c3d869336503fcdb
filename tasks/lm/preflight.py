"""Preflight: one tiny call to each live model, before anything is spent on cases.

Takes    the ledger, both models and their providers.
Gives    nothing: the reply is in the ledger under the session `preflight`, and the same experiment never buys it again.
Refuses  what the provider refuses: a missing key (exit 2); a server that does not answer, or not usably, within seconds
         (ProviderTrouble, exit 5).
"""

from collections.abc import Mapping

from tasks.lm.addresses import OFFLINE
from tasks.lm.buying import buy
from tasks.lm.ledger import CallLedger
from tasks.records.model import Asker, Message, ModelRequest
from tasks.records.protocols import Provider
from tasks.records.spec import LM

ASKER = Asker(session="preflight", attempt="")  # no attempt: the audit compares the calls of attempts
PATIENCE_SECONDS = 10.0
MAX_TOKENS = 16


def preflight(ledger: CallLedger, lms: Mapping[str, LM], providers: Mapping[str, Provider]) -> None:
    """Raises Refusal, ProviderTrouble, BudgetSpent."""
    for role, lm in lms.items():
        request = tiny(lm)
        if lm.model not in OFFLINE and ledger.known(request, ASKER, 0) is None:
            buy(ledger, providers[role], request, ASKER, 0, min(lm.patience_seconds, PATIENCE_SECONDS))


def tiny(lm: LM) -> ModelRequest:
    """Seven words, at the manifest's temperature."""
    return ModelRequest(
        model=lm.name,
        system="",
        messages=(Message(role="user", content="Answer with the single word: ready"),),
        temperature=lm.temperature,
        max_tokens=min(MAX_TOKENS, lm.max_tokens),
    )
