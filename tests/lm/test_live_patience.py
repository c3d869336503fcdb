"""Patience: a doubling pause or what the provider asks for, bounded by what the spec declares, every try counted."""

import time

import pytest

from tasks.lm.ledger import CallLedger
from tasks.lm.live import LiteLLMProvider
from tasks.lm.preflight import preflight
from tasks.lm.troubles import PassingTrouble, Patience
from tasks.records.errors import BudgetSpent, ProviderTrouble, Refusal
from tasks.records.spec import LM, Budget
from tasks.worker.model_broker import ModelBroker
from tests.lm.provider_double import cut, saying, serving, status
from tests.lm.test_live_provider import REFUSED_FORMAT, model, request_of


class Clock:
    """Time that passes only when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def double():
    with serving() as running:
        yield running


@pytest.fixture
def quick(monkeypatch):
    """Pauses of milliseconds."""
    monkeypatch.setattr("tasks.lm.troubles.FIRST_PAUSE_SECONDS", 0.005)


def opened(tmp_path, lm, **ceilings):
    ceilings = {"lm_calls": 100, "tokens": 10**6, "cost_usd": 1.0, "seconds": 600.0} | ceilings
    ledger = CallLedger(tmp_path / "ledger.sqlite", "manifest", Budget(**ceilings))
    return ModelBroker(ledger, {"lm": lm}, {"lm": LiteLLMProvider(lm)}), ledger


def retries(ledger):
    return [row[0] for row in ledger._db.execute("SELECT retries FROM calls ORDER BY id")]


def test_pauses_double_until_the_patience_is_over():
    """Half a second, one, two, four; the fifth pause of eight would pass ten seconds."""
    clock = Clock()
    patience = Patience(10.0, clock)
    for pause in (0.5, 1.0, 2.0, 4.0):
        assert patience.pause_seconds(PassingTrouble("busy")) == pause
        clock.now += pause
    with pytest.raises(ProviderTrouble, match=r"busy; given up after 5 tries \(patience 10 s\)"):
        patience.pause_seconds(PassingTrouble("busy"))


def test_a_long_pause_is_half_a_minute():
    """However often it failed."""
    clock = Clock()
    patience = Patience(1e6, clock)
    assert [patience.pause_seconds(PassingTrouble("busy")) for _ in range(9)][-2:] == [30.0, 30.0]


def test_the_wait_that_a_provider_asks_for_is_kept():
    """Retry-After replaces the pause; one that outlasts the patience ends the call now, not later."""
    patience = Patience(60.0, Clock())
    assert patience.pause_seconds(PassingTrouble("429", after_seconds=17.0)) == 17.0
    with pytest.raises(ProviderTrouble, match="which asks for 3600 s"):
        patience.pause_seconds(PassingTrouble("429", after_seconds=3600.0))


def test_patience_begins_with_the_first_trouble():
    """A call may be slow; only what follows its first failure is counted."""
    clock = Clock()
    patience = Patience(5.0, clock)
    clock.now += 1000.0
    assert patience.pause_seconds(PassingTrouble("busy")) == 0.5


def test_retry_after_is_waited_for_on_the_clock(double, tmp_path):
    """One second asked for is one second waited for, and the reply is an ordinary one."""
    double.faults.append(status(429, Retry_After="1"))
    lm = model(double)
    broker, ledger = opened(tmp_path, lm)
    started = time.monotonic()
    assert broker.complete(request_of(lm)).text == "ready"
    assert time.monotonic() - started >= 1.0
    assert len(double.received) == 2
    assert (retries(ledger), ledger.spent().lm_calls) == ([1], 2)


def test_an_outage_ends_the_call_after_the_declared_patience(double, tmp_path, quick):
    """The line holds model, address, last trouble and patience; the same call is bought later."""
    lm = model(double, patience_seconds=2.0)
    broker, _ = opened(tmp_path, lm)
    double.faults.extend([status(500)] * 5000)
    with pytest.raises(ProviderTrouble) as caught:
        broker.complete(request_of(lm))
    line = str(caught.value)
    assert [part for part in (lm.model, double.url, "HTTP 500: trouble", "patience 2 s") if part not in line] == []
    assert 2 <= len(double.received) < 5000
    double.faults.clear()
    again, _ = opened(tmp_path, lm)
    assert again.complete(request_of(lm)).text == "ready"


def test_empty_content_is_asked_again(double, tmp_path, quick):
    """Three times overloaded, then empty with finish reason stop: no wrong answer of the program (promptfoo#7077)."""
    double.faults.extend([*[status(503)] * 3, saying(""), None])
    lm = model(double)
    broker, ledger = opened(tmp_path, lm)
    assert broker.complete(request_of(lm)).text == "ready"
    assert retries(ledger) == [4]


def test_lasting_trouble_is_not_tried_again(double, tmp_path):
    """A refused key costs one call and no waiting."""
    double.faults.extend([status(401)] * 5)
    lm = model(double)
    broker, ledger = opened(tmp_path, lm)
    with pytest.raises(ProviderTrouble, match="OPENAI_API_KEY"):
        broker.complete(request_of(lm))
    assert (len(double.received), retries(ledger)) == (1, [0])


def test_retries_cannot_overrun_the_budget(double, tmp_path, quick):
    """Three calls are allowed, so the third failure of one request is its last."""
    double.faults.extend([cut] * 9)
    lm = model(double)
    broker, _ = opened(tmp_path, lm, lm_calls=3)
    with pytest.raises(BudgetSpent, match=r"budget\.lm_calls = 3"):
        broker.complete(request_of(lm))
    assert len(double.received) == 3


def test_a_format_that_a_provider_breaks_costs_one_extra_call(double, tmp_path):
    """Without a pause, and once for all requests."""
    double.faults.append(REFUSED_FORMAT)
    lm = model(double)
    broker, ledger = opened(tmp_path, lm)
    for _ in range(3):
        broker.complete(request_of(lm, response_format="json"))
    assert (len(double.received), retries(ledger)) == (4, [1, 0, 0])


def test_one_model_in_both_roles_keeps_both_settings(double, tmp_path):
    """The program's limit and reflection's are both the manifest's; a third is not."""
    lm, reflection = model(double), model(double, max_tokens=400, temperature=0.7)
    _, ledger = opened(tmp_path, lm)
    roles = {"lm": lm, "reflection_lm": reflection}
    broker = ModelBroker(ledger, roles, {role: LiteLLMProvider(one) for role, one in roles.items()})
    for one in (lm, reflection):
        broker.complete(request_of(one))
    assert [(one.body["max_tokens"], one.body["temperature"]) for one in double.received] == [(100, 0.0), (400, 0.7)]


def test_a_preflight_is_bought_once_an_experiment(double, tmp_path):
    """One tiny call a live model, none to an offline one, none at a second start."""
    lm = model(double, temperature=0.3)
    roles = {"lm": lm, "reflection_lm": LM(model="offline/reflector")}
    for _ in range(2):
        _, ledger = opened(tmp_path, lm)
        preflight(ledger, roles, {"lm": LiteLLMProvider(lm)})
    (received,) = double.received
    assert (received.body["max_tokens"], received.body["temperature"]) == (16, 0.3)
    assert [(row.session, row.attempt) for row in ledger.rows()] == [("preflight", "")]


def test_a_preflight_without_a_server_fails_within_seconds(double, tmp_path):
    """The declared patience is for a run; who has just pressed Enter is told at once."""
    lm = model(double)
    double.down()
    _, ledger = opened(tmp_path, lm)
    started = time.monotonic()
    with pytest.raises(ProviderTrouble, match="is a server running there"):
        preflight(ledger, {"lm": lm}, {"lm": LiteLLMProvider(lm)})
    assert time.monotonic() - started < lm.patience_seconds


def test_a_preflight_without_a_key_is_a_refusal(tmp_path, monkeypatch):
    """Exit 2: no retry helps, and nothing has left."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    lm = LM(model="anthropic/claude-3-haiku-20240307", api_base="https://api.anthropic.com")
    _, ledger = opened(tmp_path, lm)
    with pytest.raises(Refusal, match="set ANTHROPIC_API_KEY"):
        preflight(ledger, {"lm": lm}, {"lm": LiteLLMProvider(lm)})
