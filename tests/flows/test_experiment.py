"""The real flow on eleven pilot cases: real Prefect, MLflow and SQLite files, a real sandbox, run twice."""

import itertools
import json
import sqlite3
import subprocess
import tomllib

import pandas as pd
import pytest
from scipy import stats

from tasks.evidence.home import Home
from tasks.evidence.store import EvidenceStore
from tests.flows.conftest import proveout
from tests.flows.small import ELEVEN, FIVE, PILOT, SPEC, STAGES, spec_of, written


@pytest.fixture(scope="session")
def artifacts(home, outcome):
    """The artifacts of the experiment's own MLflow run."""
    return next(home.glob(f"artifacts/**/{outcome['mlflow_run_id']}/artifacts"))


@pytest.fixture(scope="session")
def cards(artifacts):
    """The recorded holdout scorecards as one tidy frame."""
    table = json.loads((artifacts / "scorecards" / "holdout.json").read_text())
    return pd.DataFrame(table["data"], columns=table["columns"])


def rows(database, query):
    with sqlite3.connect(database) as connection:
        return connection.execute(query).fetchall()


def test_json_is_exactly_one_object_on_stdout(first):
    """Progress and logs go elsewhere; every promised key is there."""
    assert first.count("\n") == 1
    promised = {
        "verdict", "reasons", "fingerprints", "scores", "delta", "lm_calls", "sandbox_tier", "mlflow_run_id",
        "flow_run_id", "seconds",
    }  # fmt: skip
    assert promised <= set(json.loads(first))


def test_the_dev_score_rises_over_accepted_candidates(outcome):
    """Under honest feedback the search accepts at least two candidates, and the best beats the seed program."""
    seed, *accepted = outcome["candidates"]
    assert len(accepted) >= 2
    assert max(accepted) > seed


def test_the_verdict_follows_from_the_recorded_scorecards(home, outcome, cards):
    """Interval, sign-flip p and verdict, computed here from the artifact with pandas, scipy and brute force."""
    totals = cards[cards.component == "total"]
    by_case = totals.groupby(["group", "case", "arm"]).value.mean().unstack("arm")
    deltas = (by_case.candidate - by_case.baseline).groupby("group").mean()
    policy = tomllib.loads(spec_of(home).read_text())["policy"]
    alpha = policy["alpha"] / tomllib.loads((PILOT / "corpus.toml").read_text())["looks"]
    interval = stats.ttest_1samp(deltas, 0).confidence_interval(1 - alpha)
    signed = itertools.product((1, -1), repeat=len(deltas))
    flips = [sum(s * d for s, d in zip(signs, deltas, strict=True)) for signs in signed]
    p = sum(flip >= deltas.sum() - 1e-12 for flip in flips) / len(flips)
    told = outcome["delta"]
    assert pytest.approx(deltas.mean(), abs=1e-8) == told["interval"]["mean"]
    bounds = [max(-1.0, interval.low), min(1.0, interval.high)]  # no difference of scores is larger
    assert pytest.approx(bounds, abs=1e-6) == [told["interval"]["low"], told["interval"]["high"]]
    assert pytest.approx(p) == told["p_sign_flip"]
    promoted = interval.low > policy["minimum_effect"] and p <= alpha / 2 and len(deltas) >= 6
    assert outcome["verdict"] == ("PROMOTE" if promoted else "REJECT" if interval.high < 0 else "INSUFFICIENT")


def test_every_total_is_the_weighted_sum_of_its_components(cards):
    """No scorecard holds a total that its components do not bring."""
    parts = cards[cards.component != "total"]
    summed = (parts.value * parts.weight).groupby([parts.case, parts.session, parts.arm]).sum()
    totals = cards[cards.component == "total"].set_index(["case", "session", "arm"]).value
    assert (summed - totals.reindex(summed.index)).abs().max() < 1e-9


def test_printed_scores_are_regenerated_from_the_artifact(outcome, cards):
    """The holdout scores of both arms, component by component, are means of the recorded values."""
    for arm in ("baseline", "candidate"):
        means = cards[cards.arm == arm].groupby(["component", "case"]).value.mean().groupby("component").mean()
        told = outcome["scores"][arm]["holdout"]
        assert pytest.approx(means["total"], abs=1e-9) == told["score"]
        assert pytest.approx(means["independent_tests"], abs=1e-9) == told["independent_tests"]


def test_the_holdout_left_no_trace_before_its_boundary(home, outcome, artifacts):
    """No canary, holdout id or holdout issue in a model request, the optimizer's log, a candidate or an artifact."""
    requests = rows(home / "ledger.sqlite", "SELECT request_json FROM calls WHERE session NOT LIKE 'holdout%'")
    assert len(requests) > 100
    runs = rows(
        home / "mlflow.db",
        "SELECT t.run_uuid FROM tags t JOIN tags p ON p.run_uuid = t.run_uuid WHERE t.key = 'stage'"
        f" AND t.value IN ('baseline', 'optimize') AND p.value = '{outcome['mlflow_run_id']}'",
    )
    files = [file for (run,) in runs for file in home.glob(f"artifacts/**/{run}/**/*") if file.is_file()]
    assert {"optimizer.log", "attempts.jsonl"} <= {file.name for file in files}
    texts = [text for (text,) in requests] + [file.read_text() for file in (*files, artifacts / "candidate.json")]
    written = "\n".join(texts)
    for case_id in ELEVEN["holdout"]:
        issue = tomllib.loads((PILOT / "cases" / case_id / "case.toml").read_text())["issue"].strip().splitlines()[0]
        canary = tomllib.loads((PILOT / "sealed" / case_id / "sealed.toml").read_text())["canary"]
        assert [text for text in (case_id, issue, canary) if text in written] == []


def test_no_canary_reaches_a_model_at_all(home):
    """Sealed files of train, dev and holdout stay sealed in every session."""
    (requests,) = zip(*rows(home / "ledger.sqlite", "SELECT request_json FROM calls"), strict=True)
    assert [one for one in requests if "canary-pilot" in one] == []


def test_a_second_run_buys_nothing_and_says_the_same(outcome, again):
    """Zero model calls, every stage reused, the same fingerprints."""
    assert again["lm_calls"] == {"bought": 0, "reused": 0}
    assert again["stages_reused"] == STAGES
    for key in ("fingerprints", "verdict", "reasons", "scores", "delta"):
        assert again[key] == outcome[key]


def test_prefect_holds_seven_named_task_runs_each_time(home, again):
    """The first flow run has seven completed tasks, the second seven whose state is named Reused."""
    found = rows(
        home / "prefect" / "prefect.db",
        "SELECT f.start_time, t.name, t.state_name FROM task_run t JOIN flow_run f ON f.id = t.flow_run_id"
        " ORDER BY f.start_time, t.start_time",
    )
    assert [(name, state) for _, name, state in found] == [
        *((stage, "Completed") for stage in STAGES),
        *((stage, "Reused") for stage in STAGES),
    ]


def test_prefect_shows_artifacts_and_points_to_mlflow(home, outcome):
    """The recommendation, the tables and the link are artifacts of the flow run."""
    found = rows(home / "prefect" / "prefect.db", "SELECT key, data FROM artifact")
    assert {"recommendation", "control", "candidates", "audit", "mlflow-run"} <= {key for key, _ in found}
    assert any(outcome["mlflow_run_id"] in data for key, data in found if key == "mlflow-run")


def test_mlflow_holds_one_experiment_run_with_its_stages_and_candidates(home, outcome, again):
    """One parent whatever the number of runs; seven stage children; one child a candidate; links and fingerprints."""
    assert again["mlflow_run_id"] == outcome["mlflow_run_id"]
    tags = dict(rows(home / "mlflow.db", f"SELECT key, value FROM tags WHERE run_uuid = '{outcome['mlflow_run_id']}'"))
    assert tags["verdict"] == outcome["verdict"]
    assert tags["proveout.manifest"] == outcome["fingerprints"]["manifest"]
    assert tags["proveout.decision"] == outcome["fingerprints"]["decision"]
    assert tags["prefect.flow_run_id"] == again["flow_run_id"]
    children = rows(
        home / "mlflow.db",
        "SELECT n.value FROM tags p JOIN tags n ON n.run_uuid = p.run_uuid AND n.key = 'mlflow.runName'"
        f" WHERE p.key = 'mlflow.parentRunId' AND p.value = '{outcome['mlflow_run_id']}'",
    )
    names = [name for (name,) in children]
    assert sorted(name for name in names if name in STAGES) == sorted(STAGES)
    assert len(names) == len(STAGES) + len(outcome["candidates"])


def test_mlflow_holds_decomposed_scores(home, outcome):
    """Scores are metrics of the experiment's run, named so that runs compare side by side."""
    query = f"SELECT key, value FROM latest_metrics WHERE run_uuid = '{outcome['mlflow_run_id']}'"
    metrics = dict(rows(home / "mlflow.db", query))
    assert pytest.approx(metrics["baseline/dev/score"]) == outcome["scores"]["baseline"]["dev"]["score"]
    assert {"candidate/holdout/public_tests", "delta/holdout/score_low", "delta/holdout/score_high"} <= set(metrics)
    assert pytest.approx(metrics["delta/holdout/score"]) == outcome["delta"]["interval"]["mean"]


def test_the_manifest_and_the_decision_are_objects_apart(artifacts, outcome):
    """Candidate, decision and manifest have fingerprints of their own, and the decision names both others."""
    decision = json.loads((artifacts / "decision.json").read_text())
    assert decision["body"]["manifest"] == outcome["fingerprints"]["manifest"]
    assert decision["body"]["candidate"] == outcome["fingerprints"]["candidate"]
    assert len(set(outcome["fingerprints"].values())) == 3


def test_nothing_is_left_running(home, again):
    """Neither a worker, a sandbox nor a server survives a run."""
    assert again
    lines = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    table = {int(pid): (int(parent), args) for pid, parent, args in (line.split(None, 2) for line in lines[1:])}
    left = [args for _, args in table.values() if str(home) in args]
    left += [args for pid, (_, args) in table.items() if "tasks.worker.main" in args and not kept(pid, table)]
    assert left == []


def kept(pid, table):
    """Whether a run or a test that goes on at the same time is among the ancestors."""
    while pid in table:
        pid, args = table[pid]
        if "flows.cli" in args or "pytest" in args:
            return True
    return False


@pytest.mark.slow
def test_the_pilot_is_promoted(tmp_path):
    """All of its cases, from an empty state folder: what the README shows, as far as it does not depend on versions."""
    done = proveout("run", str(SPEC), "--json", "--gate", "--home", str(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    interval = told["delta"]["interval"]
    assert (told["verdict"], interval["groups"], interval["cases"]) == ("PROMOTE", 24, 24)


@pytest.mark.slow
def test_a_design_that_cannot_find_what_it_seeks_stops_before_the_search(tmp_path):
    """Status 6, one line and no search; with --anyway the baseline is reused, and the decision says so."""
    short = {"sessions = 3": "sessions = 2", "max_metric_calls = 110": "max_metric_calls = 40"}
    spec, home = written(tmp_path, FIVE, short), tmp_path / "home"
    words = ("run", str(spec), "--json", "--home", str(home))
    stopped = proveout(*words)
    assert (stopped.returncode, stopped.stdout, stopped.stderr.count("\n")) == (6, "", 1), stopped.stderr
    assert "sought_effect 0.3 above minimum_effect 0.05" in stopped.stderr
    assert [stage for stage in STAGES if (home / "index" / stage).exists()] == ["freeze", "control", "baseline"]
    done = proveout(*words, "--anyway")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["stages_reused"], told["verdict"]) == (["freeze", "control", "baseline"], "INSUFFICIENT")
    assert told["underpowered"] is True
    tags = dict(rows(home / "mlflow.db", f"SELECT key, value FROM tags WHERE run_uuid = '{told['mlflow_run_id']}'"))
    assert tags["proveout.underpowered"] == "true"
    beside = EvidenceStore(Home(home)).read_sidecar(told["fingerprints"]["manifest"])
    assert beside["went_on_anyway"].startswith("the design cannot detect sought_effect 0.3")
