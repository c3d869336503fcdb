"""Buying one reply: written down before it leaves, tried again while trouble may pass, paid for once it is there.

Takes    a ledger, a provider, a request and who asks; the declared patience in seconds.
Gives    the reply, in a form that UTF-8 can hold.
Refuses  a call or a retry beyond the budget (BudgetSpent); trouble that does not pass in time (ProviderTrouble).
"""

import time

from tasks.lm.ledger import CallLedger
from tasks.lm.troubles import PassingTrouble, Patience
from tasks.records.errors import ProveoutError
from tasks.records.model import Asker, ModelReply, ModelRequest
from tasks.records.protocols import Provider


def buy(
    ledger: CallLedger,
    provider: Provider,
    request: ModelRequest,
    asker: Asker,
    occurrence: int,
    patience_seconds: float,
) -> ModelReply:
    """Every try is a line's retry in the ledger and counts as a call."""
    patience = Patience(patience_seconds)
    while True:
        ticket = ledger.begin(request, asker, occurrence)
        started = time.monotonic()
        try:
            reply = _encodable(provider.complete(request, asker, occurrence))
        except ProveoutError as stop:
            ledger.fail(ticket, str(stop), time.monotonic() - started)
            if not isinstance(stop, PassingTrouble):
                raise
            trouble = stop
        else:
            ledger.finish(ticket, reply, time.monotonic() - started)
            return reply
        time.sleep(patience.pause_seconds(trouble))


def _encodable(reply: ModelReply) -> ModelReply:
    """A lone surrogate has no canonical form and would break the evidence, not the candidate."""
    return reply.model_copy(update={"text": reply.text.encode("utf-8", errors="replace").decode("utf-8")})
