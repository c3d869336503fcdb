"""Publishing, on a real MLflow store: what a person is shown, what is not shown, and that nothing of it stops a run."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from flows import pages, publishing
from flows.opening import corpus_of
from flows.publishing import Publisher
from flows.stages import Taken
from tasks.evidence.home import Home
from tasks.evidence.runs import NOTE
from tasks.evidence.store import EvidenceStore
from tasks.evidence.tracking import Tracker
from tasks.freeze import freeze, read_spec
from tasks.records.candidate import Candidate, Discovery, Search
from tasks.records.scorecard import Component, Failure, Marks, Scorecard
from tasks.records.stages import Baseline, Optimized, Paired
from tasks.records.verdict import Comparison, Decision, Interval, Look
from tests.governance.making import CALIBRATION

SPEC = Path(__file__).resolve().parents[2] / "manifests" / "pilot.toml"
STARTED_MS = 1_700_000_000_000
INTERVAL = Interval(mean=0.5, low=0.25, high=0.75, level=0.975)


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A state folder with an MLflow store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        home = Home.open(tmp_path_factory.mktemp("published"))
        Tracker.open(home, "first")
        return home


@pytest.fixture(scope="module")
def manifest():
    """The pilot, frozen."""
    spec = read_spec(SPEC)
    return freeze(spec, corpus_of(spec, SPEC), "test")


@pytest.fixture
def shown(monkeypatch):
    """What Prefect was given: {key: (content, description)}."""
    given = {}
    for name in ("create_table_artifact", "create_markdown_artifact"):
        monkeypatch.setattr(
            publishing, name, lambda content, key, about: given.update({key: (content, about)}), raising=True
        )
    monkeypatch.setattr(
        publishing, "create_link_artifact", lambda link, text, key, about: given.update({key: (link, about)})
    )
    flow_run = SimpleNamespace(id="flow", ui_url="http://prefect.example/flow", parameters={"spec": "a/b/pilot.toml"})
    monkeypatch.setattr(publishing, "runtime", SimpleNamespace(flow_run=flow_run))
    return given


@pytest.fixture
def open_publisher(state, shown, request, manifest, monkeypatch):
    """A publisher whose manifest is published, as a process has one; each call is another process."""
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)

    def opened(*, embedded=True):
        publisher = Publisher(Tracker.open(state, request.node.name), embedded=embedded)
        publisher.manifest(manifest, took("freeze"))
        return publisher

    return opened


def took(stage, seconds=2.5):
    return Taken(stage, STARTED_MS, seconds)


def run(publisher):
    """The experiment's run as MLflow has it now."""
    return publisher._tracker.client.get_run(publisher._tracker.run_id)


def files(publisher):
    """Every artifact of the experiment's run and its children, by its place below its run."""
    client, experiment = publisher._tracker.client, publisher._tracker.experiment_id
    places = [Path(found.info.artifact_uri.removeprefix("file://")) for found in client.search_runs([experiment])]
    found = [(place, path) for place in places for path in place.rglob("*") if path.is_file()]
    return {str(path.relative_to(place)): path.read_text() for place, path in found}


def card(case, arm, total, split="holdout"):
    part = Component(name="public_tests", value=total, weight=1, reason="why")
    return Scorecard(
        case_id=case, group=f"group-{case}", split=split, session="s0", arm=arm, metric="repair/1", attempt="0" * 64,
        components=(part,), total=total,
    )  # fmt: skip


def baseline(*attempts):
    return Baseline(
        manifest="m", proven="p", candidate="c", attempts=attempts, noise_floor=0, noise_statement="none",
        marks=Marks(scorecards=(card("a", "baseline", 0.5, "dev"),)), minimum_detectable_effect=0.4,
        calibration=CALIBRATION,
    )  # fmt: skip


def paired(*attempts):
    lost = Failure(
        case_id="b", group="group-b", split="holdout", session="s0", arm="candidate", kind="provider",
        detail="sealed words",
    )  # fmt: skip
    comparison = Comparison(
        deltas={"g": 0.5}, interval=INTERVAL, p_sign_flip=0.01, worst=INTERVAL, best=INTERVAL, failures=1,
        minimum_detectable_effect=0.4, components={"public_tests": INTERVAL}, regressions=(),
    )  # fmt: skip
    cards = (card("a", "baseline", 0.25), card("a", "candidate", 0.75), card("b", "baseline", 0.5))
    return Paired(
        manifest="m", audited="a", look=Look(holdout="h", manifest="m", candidate="c", number=1),
        marks=Marks(scorecards=cards, failures=(lost,)), attempts=attempts, gradings=(), comparison=comparison,
    )  # fmt: skip


def decision(**changes):
    return Decision.model_validate(
        {
            "verdict": "PROMOTE", "reasons": ["because " * 100], "would_change": [], "manifest": "m" * 64,
            "candidate": "c" * 64, "audit": "a" * 64, "comparison": "p" * 64, "evidence_class": "fixture", **changes,
        }
    )  # fmt: skip


def test_a_run_says_of_what_and_whose_it_is(open_publisher, manifest):
    """Its name, its spec and its user stand where MLflow's page looks for them; settings are params, one each."""
    found = run(open_publisher())
    assert (found.info.run_name, found.info.start_time) == (f"pilot {manifest.fingerprint[:8]}", STARTED_MS)
    assert found.data.tags["mlflow.source.name"] == "pilot.toml"
    wanted = {
        "optimizer.max_metric_calls": "110",
        "policy.alpha": "0.05",
        "policy.grading_tiers": "separate, twinned",
        "lm.temperature": "0.0",
        "lm.model": "offline/rules",
        "budget.lm_calls": "6000",
    }
    assert {key: found.data.params[key] for key in wanted} == wanted


@pytest.mark.parametrize(("embedded", "url"), [(True, None), (False, "http://prefect.example/flow")])
def test_only_a_server_that_stays_is_linked_to(open_publisher, embedded, url):
    """The embedded one's address is gone when somebody clicks on it."""
    tags = run(open_publisher(embedded=embedded)).data.tags
    assert (tags["prefect.flow_run_id"], tags.get("prefect.flow_run_url")) == ("flow", url)


def test_a_file_is_no_address(open_publisher, shown):
    """Prefect's page says how to open the run; it has no link that no browser follows, and no path of this machine."""
    publisher = open_publisher()
    page, about = shown["mlflow-run"]
    assert (publisher._tracker.run_id in page, "README" in page, "sqlite" in page) == (True, True, False)
    assert about.startswith("pilot ")


@pytest.mark.parametrize(
    ("tracking_uri", "url"),
    [
        ("http://user:secret@host:5000/", "http://host:5000/#/experiments/7/runs/r"),
        ("https://host/mlflow?token=x", "https://host/mlflow/#/experiments/7/runs/r"),
        ("sqlite:////home/me/mlflow.db", ""),
        ("databricks", ""),
    ],
)
def test_an_address_has_no_credentials(tracking_uri, url):
    """What a browser can open, without user, password and query."""
    assert pages.mlflow_url(tracking_uri, "7", "r") == url


def test_holdout_ids_and_scores_are_shown_and_no_text(open_publisher, shown):
    """Attempts stay in the store, and an error's words with them."""
    publisher = open_publisher()
    publisher.paired(paired("0" * 64), took("holdout"))
    written = files(publisher)
    table = json.loads(written["failures/holdout.json"])
    assert publisher.troubles == []
    assert "attempts.jsonl" not in written
    assert [name for name, text in written.items() if "sealed words" in text] == []
    assert table["data"] == [["b", "group-b", "holdout", "s0", "candidate", "provider"]]
    assert {"scores/holdout.json", "scorecards/holdout.json", "comparison.json"} <= set(written)
    rows, about = shown["holdout"]
    assert rows == [
        {"case": "a", "group": "group-a", "baseline": 0.25, "candidate": 0.75, "delta": 0.5},
        {"case": "b", "group": "group-b", "baseline": 0.5, "candidate": None, "delta": None},
    ]
    assert ": difference +0.500 [+0.250, +0.750] at 97.5%, over " in about


def test_scores_stand_on_the_experiment_alone(open_publisher):
    """A stage's run has its seconds, from its own start."""
    publisher = open_publisher()
    publisher.paired(paired(), took("holdout", 12.5))
    client = publisher._tracker.client
    (child,) = client.search_runs([publisher._tracker.experiment_id], "tags.stage = 'holdout'")
    assert run(publisher).data.metrics["delta/holdout/score_low"] == 0.25
    assert child.data.metrics == {"seconds": 12.5}
    assert (child.info.start_time, child.info.end_time) == (STARTED_MS, STARTED_MS + 12_500)


def test_what_is_shown_already_is_not_written_again(open_publisher, shown):
    """A rerun adds no point to a metric and moves no end; Prefect's new flow run has its tables all the same."""
    first = open_publisher()
    first.paired(paired(), took("holdout"))
    first._tracker.finish()
    ended = run(first).info.end_time
    shown.clear()
    again = open_publisher()
    again.paired(paired(), took("holdout", seconds=None))
    again._tracker.finish()
    client = again._tracker.client
    assert len(client.get_metric_history(again._tracker.run_id, "delta/holdout/score")) == 1
    assert (run(again).info.end_time, run(again).info.run_id) == (ended, run(first).info.run_id)
    assert set(shown) == {"mlflow-run", "holdout"}


def test_the_recommendation_is_the_description(open_publisher, shown):
    """The same page in both places, whole."""
    publisher = open_publisher()
    publisher.decision(decision(would_change=["more groups"]), took("recommend"))
    page, about = shown["recommendation"]
    assert run(publisher).data.tags[NOTE] == page
    assert page.startswith("# PROMOTE (fixture evidence)\n\n- because")
    assert "## What would change it\n\n- more groups\n" in page
    assert about.endswith(": PROMOTE")


def test_the_best_candidate_is_marked_in_both_places(open_publisher, shown, state):
    """Fingerprint, parent, and the score without digits that nobody can read."""
    seed = Candidate(program="repair", instructions={"diagnose": "Look."})
    better = Candidate(program="repair", instructions={"diagnose": "Look twice."}, parents=(seed.fingerprint,))
    found = (
        Discovery(candidate=seed, dev_score=0.5199999999999999, metric_calls=0, parent=None),
        Discovery(candidate=better, dev_score=1.0, metric_calls=9, parent=seed.fingerprint),
    )
    search = Search(optimizer="gepa", discoveries=found, proposals=3, metric_calls=9, best=1)
    store = EvidenceStore(state)
    optimized = Optimized(
        manifest="m", baseline="b", search=search, candidate=better, attempts=(), log=store.put_bytes(b"log")
    )
    publisher = open_publisher()
    publisher.optimized(optimized, took("optimize"), SimpleNamespace(store=store))
    rows, about = shown["candidates"]
    short = (seed.fingerprint[:8], better.fingerprint[:8])
    told = [(row["fingerprint"], row["parent"], row["best"], row["dev score"]) for row in rows]
    assert told == [(short[0], "", False, 0.52), (short[1], short[0], True, 1.0)]
    assert about.endswith(": 1 of 3 proposals accepted")
    client, experiment = publisher._tracker.client, publisher._tracker.experiment_id
    (best,) = client.search_runs([experiment], "tags.best = 'true'")
    assert (best.data.tags["surface"], best.data.tags["parent"]) == (better.surface, seed.fingerprint)


def test_an_attempt_that_cannot_be_read_stops_nothing(open_publisher, state):
    """It is a line in the tracker's own list, and the stage is shown again by whoever comes next."""
    publisher, lab = open_publisher(), SimpleNamespace(store=EvidenceStore(state))
    publisher.baseline(baseline("0" * 64), took("baseline"), lab)
    (line,) = publisher._tracker.troubles
    assert line.startswith("not published: baseline: Damaged: object 0000")
    assert not open_publisher()._tracker.has_stage("baseline", baseline("0" * 64).fingerprint)


def test_an_outage_of_prefect_or_mlflow_stops_nothing(open_publisher, monkeypatch):
    """Both are told in one list, which the outcome shows."""
    publisher = open_publisher()
    monkeypatch.setattr(publishing, "create_table_artifact", lambda *_: 1 / 0)
    monkeypatch.setattr(publisher._tracker.client, "log_text", lambda *_: 1 / 0)
    publisher.paired(paired(), took("holdout"))
    told = publisher._tracker.troubles
    assert told == publisher.troubles
    assert "not tracked: Prefect artifact 'holdout': ZeroDivisionError: division by zero" in told
    assert any(line.startswith("not tracked: table scorecards/holdout:") for line in told)


def test_an_interrupt_passes(open_publisher, monkeypatch):
    """Ctrl-C while a table is written is Ctrl-C."""

    def interrupted(*_):
        raise KeyboardInterrupt

    publisher = open_publisher()
    monkeypatch.setattr(publishing, "create_table_artifact", interrupted)
    with pytest.raises(KeyboardInterrupt):
        publisher.paired(paired(), took("holdout"))
