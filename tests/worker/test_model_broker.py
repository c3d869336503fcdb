"""The model broker buys once, reuses by (session, attempt, request, occurrence), and never exceeds its budget."""

import pytest

from tasks.lm.ledger import CallLedger
from tasks.records.errors import BudgetSpent, Damaged, ProviderTrouble
from tasks.records.model import Message, ModelReply, ModelRequest
from tasks.records.spec import LM, Budget
from tasks.worker.model_broker import ModelBroker

LM_CONFIG = LM(model="m", temperature=0.0, max_tokens=100)


class Counting:
    """A provider that numbers its replies, and fails when it is told to."""

    def __init__(self):
        self.calls = 0
        self.down = False

    def complete(self, request, asker, occurrence):
        if self.down:
            raise ProviderTrouble("503")
        self.calls += 1
        text = f"{asker.session}/{asker.attempt}/{occurrence}: {self.calls}"
        return ModelReply(text=text, input_tokens=10, output_tokens=5, cost_usd=0.5)


def request_of(text="hello", temperature=0.0, model="m"):
    message = Message(role="user", content=text)
    return ModelRequest(model=model, system="", messages=(message,), temperature=temperature, max_tokens=100)


def budget(**changes):
    return Budget(**({"lm_calls": 10, "tokens": 1000, "cost_usd": 10.0, "seconds": 60.0} | changes))


@pytest.fixture
def provider():
    return Counting()


@pytest.fixture
def open_broker(tmp_path, provider):
    """A broker as each new process opens it, on the same ledger."""

    def opened(**changes):
        ledger = CallLedger(tmp_path / "ledger.sqlite", "manifest", budget(**changes))
        return ModelBroker(ledger, {"m": LM_CONFIG}, {"m": provider}), ledger

    return opened


def test_a_completed_call_is_not_bought_twice(open_broker, provider):
    """A second process that asks the same in the same place gets the first one's reply."""
    for _ in range(2):
        broker, ledger = open_broker()
        broker.ask_as("s1", "a1")
        assert broker.complete(request_of()).text == "s1/a1/0: 1"
    assert (provider.calls, ledger.bought, ledger.reused) == (1, 0, 1)


def test_occurrences_sessions_and_attempts_are_independent(open_broker, provider):
    """The same request again, in another session, or for another attempt is another call."""
    broker, _ = open_broker()
    texts = []
    for session, attempt in (("s1", "a1"), ("s1", "a1"), ("s2", "a1"), ("s1", "a2")):
        broker.ask_as(session, attempt)
        texts.append(broker.complete(request_of()).text)
    assert texts == ["s1/a1/0: 1", "s1/a1/1: 2", "s2/a1/0: 3", "s1/a2/0: 4"]


@pytest.mark.parametrize(
    ("ceiling", "named"),
    [
        ({"lm_calls": 2}, "budget.lm_calls = 2"),
        ({"tokens": 29}, "budget.tokens = 29"),
        ({"cost_usd": 0.9}, "budget.cost_usd = 0.9"),
    ],
)
def test_a_budget_holds_across_restarts(open_broker, provider, ceiling, named):
    """Two calls of 15 tokens and half a dollar, each in its own process, leave nothing for a third."""
    for text in ("one", "two"):
        broker, _ = open_broker(**ceiling)
        broker.complete(request_of(text))
    broker, _ = open_broker(**ceiling)
    with pytest.raises(BudgetSpent, match=named):
        broker.complete(request_of("three"))
    assert provider.calls == 2


def test_a_call_in_flight_at_a_kill_counts_as_spent(open_broker):
    """A call that was begun and never finished counts as one call, and as dear as the dearest finished one."""
    broker, ledger = open_broker()
    broker.complete(request_of("finished"))
    ledger.begin(request_of("lost"), broker._asker, 0)
    _, ledger = open_broker()
    assert ledger.spent()[:3] == (2, 30, 1.0)


def test_trouble_of_the_provider_is_no_reply(open_broker, provider):
    """An outage leaves no reply behind; the same call is bought when the provider is back, as a retry."""
    broker, _ = open_broker()
    provider.down = True
    with pytest.raises(ProviderTrouble, match="503"):
        broker.complete(request_of())
    provider.down = False
    broker, ledger = open_broker()
    assert broker.complete(request_of()).text == "//0: 1"
    assert ledger.spent().lm_calls == 2


@pytest.mark.parametrize("wrong", [{"temperature": 0.9}, {"temperature": None}, {"model": "other"}])
def test_a_request_leaves_only_as_the_manifest_says(open_broker, provider, wrong):
    """Another model or another temperature, an unset one included, is refused: the noise floor depends on both."""
    broker, _ = open_broker()
    with pytest.raises(Damaged):
        broker.complete(request_of(**wrong))
    assert provider.calls == 0


def test_a_lone_surrogate_does_not_reach_the_evidence(open_broker, provider):
    """A reply that has no UTF-8 form is stored with replacement characters."""
    provider.complete = lambda *_: ModelReply(text="a\ud800b", input_tokens=1, output_tokens=1)
    broker, _ = open_broker()
    assert broker.complete(request_of()).text == "a?b"
