"""No outage moves a score: what reaches the program and the ledger is the same after trouble as without it."""

import pytest

from tasks.lm.ledger import CallLedger
from tasks.lm.live import LiteLLMProvider
from tasks.program.repair import Repair
from tasks.records.attempt import TestReport
from tasks.records.errors import ProviderTrouble
from tasks.records.spec import Budget
from tasks.worker.clients import BrokerEngine
from tasks.worker.main import language_model
from tasks.worker.model_broker import ModelBroker
from tests.lm.provider_double import cut, half, raw, saying, serving, status
from tests.lm.test_live_provider import model, request_of
from tests.lm.test_live_troubles import KEY

OUTAGES = [
    *[status(429, Retry_After="0"), None, status(500), cut, None, None],
    *[raw(b"no JSON"), raw(b'{"a": "\xff"}'), saying(""), None, half, raw(b"x" * 10_000_000), None],
    *[status(503), status(529), raw(b"{}"), None],
]
LOTS = Budget(lm_calls=1000, tokens=10**7, cost_usd=1.0, seconds=600.0)
COMPARED = (
    "session, attempt, request, occurrence, request_json, reply_json, input_tokens, output_tokens, cost_usd, error"
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Pauses of milliseconds."""
    monkeypatch.setattr("tasks.lm.troubles.FIRST_PAUSE_SECONDS", 0.002)


@pytest.fixture
def double():
    """A server whose answer depends on the request alone."""
    with serving(brain=lambda body: f"answer to {body['messages'][0]['content']}") as running:
        yield running


def opened(path, lm):
    """A broker as each new process opens it."""
    ledger = CallLedger(path, "manifest", LOTS)
    return ModelBroker(ledger, {"lm": lm}, {"lm": LiteLLMProvider(lm)}), ledger


def asked(broker, lm):
    """Thirty-two calls: two sessions, two attempts, four questions, each twice."""
    replies = []
    for session in ("s0", "s1"):
        for attempt in ("a0", "a1"):
            broker.ask_as(session, attempt)
            requests = [request_of(lm, system=f"question {number}") for number in [0, 1, 2, 3] * 2]
            replies += [broker.complete(request).model_dump_json() for request in requests]
    return replies


def rows(ledger):
    return ledger._db.execute(f"SELECT {COMPARED} FROM calls ORDER BY id").fetchall()


def test_outages_leave_the_same_replies_and_the_same_ledger(double, tmp_path):
    """Byte for byte, apart from retries and times; the outages are there, as retries."""
    lm = model(double)
    calm, ledger_of_calm = opened(tmp_path / "calm.sqlite", lm)
    expected = asked(calm, lm)
    double.faults.extend(OUTAGES)
    stormy, ledger_of_stormy = opened(tmp_path / "stormy.sqlite", lm)
    assert expected == asked(stormy, lm)
    assert rows(ledger_of_calm) == rows(ledger_of_stormy)
    troubles = sum(fault is not None for fault in OUTAGES)
    assert ledger_of_stormy.spent().lm_calls - ledger_of_calm.spent().lm_calls == troubles
    assert ledger_of_stormy.spent()[1:3] == ledger_of_calm.spent()[1:3]


def test_no_completed_call_is_bought_twice_over_a_dead_server_and_a_restart(double, tmp_path):
    """The server dies in the thirteenth call; a new process goes on, and the server has answered 32 times in all."""
    lm = model(double, patience_seconds=0.05)
    calm, _ = opened(tmp_path / "calm.sqlite", lm)
    expected = asked(calm, lm)
    double.answered.clear()
    double.received.clear()
    double.dies_after = 13
    broken, ledger = opened(tmp_path / "broken.sqlite", lm)
    with pytest.raises(ProviderTrouble, match="given up"):
        asked(broken, lm)
    assert ledger.bought == 13  # the thirteenth answer still came; nobody listened for the fourteenth
    double.dies_after = None
    double.up()
    again, ledger = opened(tmp_path / "broken.sqlite", lm)
    assert expected == asked(again, lm)
    assert (ledger.reused, ledger.bought, double.answered.total()) == (13, 19, 32)


class Workshop:
    """A case with nothing to see."""

    case_id = "case"
    tools = None

    def reproduce(self):
        return TestReport(tree="t", outcomes={}, ended="exit", shown="", tier="test")


class Direct:
    """Brokers without a pipe."""

    def __init__(self, broker):
        self.complete = broker.complete


@pytest.mark.parametrize(
    "fault",
    [
        status(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
        saying("Certainly! Here is my patch."),
        saying("", finish="length"),
    ],
    ids=["context overflow", "wrong schema", "burned limit"],
)
def test_what_the_candidate_causes_is_its_own_score(double, tmp_path, fault):
    """The program ends with schema_valid false, after the one extra call that DSPy makes; nothing halts."""
    import dspy

    lm = model(double)
    broker, ledger = opened(tmp_path / "ledger.sqlite", lm)
    double.faults.extend([fault, fault])
    engine = language_model(lm.body(), Direct(broker))
    assert isinstance(engine.engine, BrokerEngine)
    with dspy.context(lm=engine, adapter=dspy.ChatAdapter(), disable_history=True):
        told = Repair(tool_calls=2, revisions=1)(issue="i", constraints="c", workshop=Workshop())
    assert told.proposal["schema_valid"] is False
    assert [one.body.get("response_format") for one in double.received] == [None, {"type": "json_object"}]
    assert ledger.spent().lm_calls == 2


def test_the_ledger_holds_no_key(double, tmp_path, monkeypatch):
    """Neither in requests and replies nor in the errors of a provider that echoes it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo = {"error": {"message": f"bad gateway for Bearer {KEY}"}}
    double.faults.extend([status(502, echo), saying(f"your key is {KEY}")])
    lm = model(double)
    broker, ledger = opened(tmp_path / "ledger.sqlite", lm)
    broker.complete(request_of(lm))
    ledger.close()
    assert [one.headers["Authorization"] for one in double.received] == [f"Bearer {KEY}"] * 2
    assert [path.name for path in tmp_path.iterdir() if KEY[:16].encode() in path.read_bytes()] == []
