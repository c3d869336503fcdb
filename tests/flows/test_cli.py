"""The command line: quick, one line for what is refused, and a documented status."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PILOT = (ROOT / "manifests" / "pilot.toml").read_text()
HEAVY = {"prefect", "mlflow", "dspy", "pandas", "litellm", "scipy"}


def proveout(*arguments):
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("module", ["flows.cli", "flows.console", "flows.opening", "flows.servers", "flows.settings"])
def test_nothing_heavy_loads_before_a_run_is_sure_to_start(module):
    """Prefect reads its settings while it loads, so it must not load before they are set; help stays instant."""
    program = f"import sys, {module}; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("seed = 0", "sede = 7", "'sede': unknown key"),
        ("sessions = 3", 'sessions = "three"', "'sessions'"),
        ("seed = 0", "seed = 0\nseed = 8", "is no TOML"),
        ('corpus = "../datasets/pilot"', 'corpus = "../datasets/none"', "none"),
        ('model = "offline/rules"', 'model = "offline/oracle"', "'offline/oracle'"),
        ('name = "gepa"', 'name = "mipro"', "'optimizer.name'"),
        ("lm_calls = 6000", "lm_calls = 60", "cannot finish one baseline"),
        ("max_metric_calls = 110", "max_metric_calls = 8", "cannot finish one step"),
        ('feedback = "full"', 'feedback = "gold"', "'optimizer.feedback'"),
    ],
)
def test_a_refused_spec_is_one_line_and_status_2(tmp_path, before, after, said):
    """The line names the offender; nothing is created."""
    assert before in PILOT
    spec = tmp_path / "spec.toml"
    corpus = f'corpus = "{ROOT}/datasets/pilot"'
    spec.write_text(PILOT.replace(before, after, 1).replace('corpus = "../datasets/pilot"', corpus))
    done = proveout("run", spec, "--home", tmp_path / "home")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert said in done.stderr
    assert not list(tmp_path.glob("home/objects/*"))


def test_a_missing_spec_is_one_line_and_status_2(tmp_path):
    """The path and the reason."""
    done = proveout("run", tmp_path / "nowhere.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "nowhere.toml" in done.stderr
    assert "No such file" in done.stderr


def test_every_problem_of_a_spec_is_told_at_once(tmp_path):
    """Two unknown keys and a wrong type are one message."""
    spec = tmp_path / "spec.toml"
    spec.write_text(PILOT.replace("seed = 0", 'seed = "x"\ncolour = 1').replace("[sandbox]", "[sandbox]\nroot = true"))
    done = proveout("run", spec)
    assert [word in done.stderr for word in ("'seed'", "'colour'", "'sandbox.root'")] == [True, True, True]
