"""Trouble of a provider is typed, names model and address, shows no key, and never becomes a reply."""

import gzip
import traceback

import pytest

from tasks.lm.live import LiteLLMProvider
from tasks.lm.troubles import PassingTrouble
from tasks.records.errors import ProviderTrouble
from tests.lm.provider_double import cut, dripping, echoing_key, half, raw, saying, serving, slow, status
from tests.lm.test_live_provider import ASKER, REFUSED_FORMAT, complete, double, model, request_of  # noqa: F401

KEY = "sk-proj-secret-0123456789abcdef"
PASSING = {
    "slow": (slow(1.5), "no answer within 0.5 s"),
    "dripping": (dripping(1.5), "no answer within 0.5 s"),
    "429": (status(429, Retry_After="7"), "HTTP 429: trouble"),
    "500": (status(500), "HTTP 500: trouble"),
    "502 in HTML": (raw(b"<html>Bad gateway</html>", 502), "HTTP 502: <html>Bad gateway"),
    "503": (status(503), "HTTP 503"),
    "529": (status(529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}), "overloaded"),
    "cut": (cut, "the connection broke"),
    "half a body": (half, "the connection broke"),
    "no JSON": (raw(b'{"choices": [{"mess'), "no JSON"),
    "JSON, no object": (raw(b"[1, 2]"), "a JSON list"),
    "deeply nested": (raw(b"[" * 200_000), "no JSON"),
    "no completion": (raw(b'{"hello": "world"}'), "no chat completion"),
    "error in a 200": (raw(b'{"error": {"message": "upstream died", "code": 502}}'), "upstream died"),
    "not UTF-8": (raw(b'{"choices": "\xff\xfe"}'), "not UTF-8"),
    "10 MB": (raw(b'{"a": "' + b"x" * 10_000_000 + b'"}'), "more than 4194304 bytes"),
    "1 GB zipped": (raw(gzip.compress(b"x" * (1 << 26)), Content_Encoding="gzip"), "more than 4194304 bytes"),
    "unasked encoding": (raw(b"x", Content_Encoding="zstd"), "encoding 'zstd'"),
    "empty content": (saying(""), "an empty answer with finish reason 'stop'"),
    "blank content": (saying(" \n"), "an empty answer with finish reason 'stop'"),
    "a context in a 500": (status(500, {"error": {"message": "context length exceeded"}}), "HTTP 500"),
}
LASTING = {
    "401": (status(401), "the key was refused; set OPENAI_API_KEY in the environment"),
    "403": (status(403), "the key was refused"),
    "404": (status(404, {"error": {"message": "model not found"}}), "expected a server that knows 'rules'"),
    "no quota": (status(429, {"error": {"code": "insufficient_quota", "message": "pay"}}), "no quota left"),
    "402": (status(402), "no quota left"),
    "400": (status(400, {"error": {"message": "max_tokens is too large"}}), "max_tokens is too large"),
    "redirected": (status(302, Location="http://127.0.0.1:1/elsewhere"), "HTTP 302"),
}


def trouble_of(lm):
    with pytest.raises(ProviderTrouble) as caught:
        complete(lm)
    return caught.value


@pytest.mark.parametrize(("fault", "said"), PASSING.values(), ids=PASSING)
def test_trouble_that_may_pass_says_what_it_was(double, fault, said):  # noqa: F811
    """One request, one line with model, address and reason; the library itself tries nothing again."""
    double.faults.append(fault)
    trouble = trouble_of(model(double, timeout_seconds=0.5))
    assert type(trouble) is PassingTrouble
    assert str(trouble).startswith(f"model 'openai/rules' at {double.url}: ")
    assert said in str(trouble)
    assert len(double.received) == 1


@pytest.mark.parametrize(("fault", "said"), LASTING.values(), ids=LASTING)
def test_trouble_that_waiting_does_not_mend_is_told_at_once(double, fault, said):  # noqa: F811
    """No retry is due, and the line says what to do."""
    double.faults.append(fault)
    trouble = trouble_of(model(double))
    assert type(trouble) is ProviderTrouble
    assert said in str(trouble)
    assert len(double.received) == 1


def test_what_a_provider_asks_to_wait_is_heard(double):  # noqa: F811
    """Retry-After of a 429 in seconds."""
    double.faults.append(status(429, Retry_After="7"))
    assert trouble_of(model(double)).after_seconds == 7.0


@pytest.mark.parametrize(
    ("name", "said"),
    [("openai/rules", "is a server running there?"), ("ollama_chat/qwen3:latest", "`ollama pull qwen3:latest`")],
)
def test_a_server_that_was_never_there_is_not_waited_for(name, said):
    """Nothing answers at the address: one helpful line, at once."""
    with serving() as gone:
        lm = model(gone, name)
    trouble = trouble_of(lm)
    assert type(trouble) is ProviderTrouble
    assert "no connection" in str(trouble)
    assert said in str(trouble)


def test_a_server_that_went_away_is_waited_for(double):  # noqa: F811
    """After a first answer, a refused connection is an outage that may pass."""
    lm = model(double)
    provider = LiteLLMProvider(lm)
    provider.complete(request_of(lm), ASKER, 0)
    double.down()
    with pytest.raises(PassingTrouble, match="no connection"):
        provider.complete(request_of(lm), ASKER, 0)


@pytest.mark.parametrize("code", [400, 401, 403, 429, 500])
def test_a_key_that_a_provider_echoes_is_not_shown(double, monkeypatch, code):  # noqa: F811
    """Neither the line nor the traceback with all that led to it holds the key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    double.faults.append(echoing_key(code))
    trouble = trouble_of(model(double))
    shown = "".join(traceback.format_exception(trouble))
    assert double.received[0].headers["Authorization"] == f"Bearer {KEY}"
    assert [text for text in (str(trouble), shown) if "secret-0123" in text] == []
    assert (trouble.__cause__, trouble.__context__) == (None, None)


def test_a_provider_that_cannot_promise_json_costs_one_extra_call(double):  # noqa: F811
    """The format is dropped for the next try, and stays dropped."""
    lm = model(double)
    provider = LiteLLMProvider(lm)
    double.faults.append(REFUSED_FORMAT)
    with pytest.raises(PassingTrouble) as caught:
        provider.complete(request_of(lm, response_format="json"), ASKER, 0)
    assert caught.value.after_seconds == 0
    for _ in range(2):
        provider.complete(request_of(lm, response_format="json"), ASKER, 0)
    formats = [one.body.get("response_format") for one in double.received]
    assert formats == [{"type": "json_object"}, None, None]
