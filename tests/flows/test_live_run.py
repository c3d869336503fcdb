"""The real command against a real HTTP server: an outage moves no score, and a dead server costs no completed call."""

import json
import random

import pytest

from tasks.lm.offline.reflector import ReflectorEngine
from tasks.lm.offline.rules import RulesEngine
from tasks.records.model import Asker, Message, ModelRequest
from tests.flows.small import ELEVEN, NO_BAR, written
from tests.flows.test_live_cli import KEY, holding
from tests.flows.test_live_cli import proveout as on_pilot
from tests.lm.provider_double import cut, half, raw, saying, serving, status

pytestmark = pytest.mark.slow

ENGINES = {"rules": RulesEngine(seed=0), "reflector": ReflectorEngine()}
FAULTS = [status(429, Retry_After="0"), status(500), cut, half, raw(b"\xff\xfe"), saying(""), status(503)]
SAME = ("fingerprints", "verdict", "reasons", "scores", "delta", "candidates")


def brain(body):
    """The offline engines behind a provider's interface; they read nothing but the text."""
    system = [one["content"] for one in body["messages"] if one["role"] == "system"]
    messages = [Message(**one) for one in body["messages"] if one["role"] != "system"]
    asked = ModelRequest(model=body["model"], system="".join(system), messages=tuple(messages))
    return ENGINES[body["model"]].complete(asked, Asker(session="", attempt=""), 0).text


@pytest.fixture(scope="module")
def double():
    with serving(brain) as running:
        yield running


@pytest.fixture(scope="module")
def proveout(double, tmp_path_factory):
    """Eleven cases with both models behind the double, a patience of eight seconds, and a key in the environment."""
    changes = {**NO_BAR, "patience_seconds = 120.0": "patience_seconds = 8.0"}
    spec = written(tmp_path_factory.mktemp("spec"), ELEVEN, changes)

    def run(home):
        models = ["--lm", f"openai/rules@{double.url}", "--reflection-lm", f"openai/reflector@{double.url}"]
        return on_pilot(home, "--json", *models, spec=spec, OPENAI_API_KEY=KEY)

    return run


def fresh(double):
    double.faults.clear()
    double.received.clear()
    double.answered.clear()


@pytest.fixture(scope="module")
def calm(double, proveout, tmp_path_factory):
    """A run without trouble: its outcome, its state folder, and what the server answered."""
    fresh(double)
    home = tmp_path_factory.mktemp("calm") / "home"
    done = proveout(home)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), home, double.answered.copy(), done


def objects(home):
    """The content-addressed store: every record by its name."""
    return {path.relative_to(home).as_posix() for path in (home / "objects").rglob("*") if path.is_file()}


def test_a_live_run_reaches_a_verdict_under_its_own_class_of_evidence(calm):
    """Every call is bought from the server, two of them as a preflight; what it makes is evidence of a model."""
    outcome, _, answered, _ = calm
    assert outcome["evidence_class"] == "model"
    assert outcome["lm_calls"]["reused"] == 2  # the preflight was bought before Prefect's server was started
    assert outcome["lm_calls"]["bought"] + 2 == answered.total() > 500
    assert max(outcome["candidates"]) > outcome["candidates"][0]


def test_the_key_of_a_whole_run_is_nowhere(double, calm):
    """The server received it with every call; no file of the state folder and no stream holds it."""
    _, home, _, done = calm
    assert {one.headers["Authorization"] for one in double.received} == {f"Bearer {KEY}"}
    assert holding(home, KEY) == []
    assert KEY not in done.stdout + done.stderr


def test_outages_move_no_score(double, calm, proveout, tmp_path):
    """One request in twelve meets 429, 500, 503, a cut, nonsense or nothing: the same records, byte for byte."""
    outcome, home, answered, _ = calm
    fresh(double)
    chance = random.Random(1)
    double.faults.extend(chance.choice(FAULTS) if chance.random() < 1 / 12 else None for _ in range(3000))
    done = proveout(tmp_path / "home")
    assert done.returncode == 0, done.stderr
    stormy = json.loads(done.stdout)
    assert {key: outcome[key] for key in SAME} == {key: stormy[key] for key in SAME}
    assert objects(home) == objects(tmp_path / "home")
    assert answered == double.answered
    assert len(double.received) > answered.total() + 20


def test_a_server_that_dies_stops_the_run_resumably(double, calm, proveout, tmp_path):
    """Status 5 and one line; when it is back, the same command ends in the same records and buys the rest only."""
    outcome, home, answered, _ = calm
    fresh(double)
    double.dies_after = 300
    stopped = proveout(tmp_path / "home")
    double.dies_after = None
    assert (stopped.returncode, stopped.stdout, stopped.stderr.count("\n")) == (5, "", 1), stopped.stderr
    assert [part for part in ("no connection", double.url, "patience 8 s") if part not in stopped.stderr] == []
    double.up()
    done = proveout(tmp_path / "home")
    assert done.returncode == 0, done.stderr
    resumed = json.loads(done.stdout)
    assert {key: outcome[key] for key in SAME} == {key: resumed[key] for key in SAME}
    assert objects(home) == objects(tmp_path / "home")
    assert answered == double.answered
