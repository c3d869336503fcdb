"""What crosses the model broker: a request, a reply, and who asked."""

from typing import Literal

from tasks.records.base import Record


class Message(Record):
    """One chat message."""

    role: Literal["user", "assistant"]
    content: str


class ModelRequest(Record):
    """Everything a provider is asked; its fingerprint is the request's name in the ledger."""

    model: str
    system: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    response_format: Literal["text", "json"] = "text"


class ModelReply(Record):
    """What a provider answered; tokens are counts, `cost_usd` is in dollars.

    `cost_known` is False where nobody knows the price: `cost_usd` is then 0 and says nothing. `finish_reason` is the
    provider's, or `context_length` for a request that did not fit its model.
    """

    text: str
    input_tokens: int
    output_tokens: int
    cost_usd: float = 0.0
    cost_known: bool = True
    finish_reason: str = "stop"


class Asker(Record):
    """Who asks: replies are reused by (session, attempt, request, occurrence) and never across sessions."""

    session: str
    attempt: str
