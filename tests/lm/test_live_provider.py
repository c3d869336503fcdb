"""A live provider sends exactly what the manifest says, and returns what a healthy server answers."""

import json

import pytest

from tasks.lm.live import LiteLLMProvider
from tasks.records.errors import Refusal
from tasks.records.model import Asker, Message, ModelRequest
from tasks.records.spec import LM
from tests.lm.provider_double import saying, serving, status

ASKER = Asker(session="s", attempt="a")
REFUSED_FORMAT = status(400, {"error": {"message": "'response_format' of type json_object is not supported"}})


@pytest.fixture
def double():
    with serving() as running:
        yield running


def model(double, name="openai/rules", **changes):
    base = double.url if name.startswith("openai/") else double.origin
    return LM(**({"model": name, "api_base": base, "max_tokens": 100, "timeout_seconds": 5.0} | changes))


def request_of(lm, **changes):
    message = Message(role="user", content="hello")
    settings = {"temperature": lm.temperature, "max_tokens": lm.max_tokens, "system": "be brief"}
    return ModelRequest(**({"model": lm.name, "messages": (message,)} | settings | changes))


def complete(lm, **changes):
    return LiteLLMProvider(lm).complete(request_of(lm, **changes), ASKER, 0)


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_the_manifests_temperature_leaves(double, temperature):
    """Zero is sent as zero, not left out; nothing else travels but model, messages and max_tokens."""
    complete(model(double, temperature=temperature))
    body = double.received[0].body
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
    assert body == {"model": "rules", "messages": messages, "temperature": temperature, "max_tokens": 100}


def test_a_reply_carries_text_usage_and_finish_reason(double):
    """Tokens are the provider's own; a price that nobody knows is stamped so."""
    double.faults.append(saying("an answer of 24 letters.", finish="length"))
    reply = complete(model(double))
    assert (reply.text, reply.finish_reason) == ("an answer of 24 letters.", "length")
    assert (reply.input_tokens, reply.output_tokens) == (3, 6)  # 13 and 24 characters over four
    assert (reply.cost_usd, reply.cost_known) == (0.0, False)


def test_a_known_price_is_counted(double):
    """gpt-4o-mini: 0.15 dollars a million tokens in, 0.60 out, as OpenAI lists it."""
    double.faults.append(saying("x" * 400))
    reply = complete(model(double, "openai/gpt-4o-mini"), system="y" * 395)
    assert (reply.input_tokens, reply.output_tokens, reply.cost_known) == (100, 100, True)
    assert pytest.approx(100 * 0.15e-6 + 100 * 0.60e-6) == reply.cost_usd


def test_ollama_is_spoken_to_in_its_own_dialect(double):
    """The temperature and the limit are options there; a local model is free."""
    reply = complete(model(double, "ollama_chat/qwen3:latest"))
    (received,) = double.received
    assert received.path == "/api/chat"
    assert received.body["options"] == {"temperature": 0.0, "num_predict": 100}
    assert (reply.text, reply.cost_usd, reply.cost_known) == ("ready", 0.0, True)


def test_json_is_asked_for_where_the_request_does(double):
    """A text request carries no format, a JSON request does."""
    lm = model(double)
    for wanted in ("text", "json"):
        complete(lm, response_format=wanted)
    assert [one.body.get("response_format") for one in double.received] == [None, {"type": "json_object"}]


@pytest.mark.parametrize(
    "content",
    ["not the form", '{"tool": "launch_rocket", "arguments": {}}', "[[ ## patch ## ]]\n[{]", "ünï \u2028 \x00 {"],
    ids=["wrong schema", "unknown tool", "broken JSON", "odd characters"],
)
def test_malformed_content_of_a_healthy_provider_goes_on_unchanged(double, content):
    """It is the candidate's own score, so nobody mends, drops or retries it."""
    double.faults.append(saying(content))
    assert complete(model(double)).text == content
    assert len(double.received) == 1


def test_empty_content_at_the_token_limit_is_an_answer(double):
    """A model that spends its whole limit on thinking has burned its own budget."""
    double.faults.append(saying("", finish="length"))
    assert complete(model(double)).finish_reason == "length"


@pytest.mark.parametrize(
    ("body", "finish"),
    [
        ({"error": {"code": "context_length_exceeded", "message": "too long"}}, "context_length"),
        ({"error": {"message": "This model's maximum context length is 4096 tokens."}}, "context_length"),
        ({"error": {"type": "exceed_context_size_error", "message": "the request exceeds it"}}, "context_length"),
        ({"error": {"code": "content_filter", "message": "declined"}}, "content_filter"),
    ],
)
def test_a_request_that_no_healthy_provider_answers_is_an_empty_reply(double, body, finish):
    """Overflowing the context is the candidate's score, not trouble; it is asked once and costs nothing."""
    double.faults.append(status(400, body))
    reply = complete(model(double))
    assert (reply.text, reply.finish_reason, reply.input_tokens) == ("", finish, 0)
    assert len(double.received) == 1


def test_a_missing_key_is_refused_before_anything_leaves(monkeypatch):
    """At the provider's own address a key is needed; the line says which variable holds it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Refusal, match="set OPENAI_API_KEY in the environment"):
        complete(LM(model="openai/gpt-4o-mini", api_base="https://api.openai.com/v1"))


def test_the_key_of_the_environment_travels_in_the_header_only(double, monkeypatch):
    """It is in Authorization, not in the body, and it is taken out of a text that brings it back."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-show-me-0123456789")
    double.faults.append(saying("you sent sk-do-not-show-me-0123456789, thanks"))
    reply = complete(model(double))
    (received,) = double.received
    assert received.headers["Authorization"] == "Bearer sk-do-not-show-me-0123456789"
    assert "do-not-show" not in json.dumps(received.body)
    assert reply.text == "you sent [hidden], thanks"
