"""The sandbox suite and its kill matrix, run as the product runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.attacking import attack, show_attacks
from tasks.attacks import filters, sandbox_matrix, sandbox_suite, weakened
from tasks.attacks.host import host
from tasks.attacks.probes import probes
from tasks.attacks.rows import Acceptance, Killed, Row, SuiteReport
from tasks.records.errors import Damaged, Refusal, SandboxTrouble, SandboxUnavailable
from tasks.workspace import confine
from tasks.workspace.ladder import choose

TIERS = ("bubblewrap", "landlock")
QUICK = ("proved", "redundant")
ROOT = Path(__file__).parents[2]


def sandbox(tier):
    try:
        return choose(tier=tier)
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


@pytest.fixture(scope="module")
def crowd():
    """Per tier, what the probes reached that share one run."""
    chosen = [probe for probe in probes() if probe.together]
    found = {}
    for tier in (*TIERS, "none"):
        try:
            with host() as machine:
                found[tier] = sandbox_suite.seen(choose(tier=tier, allow_unsafe=tier == "none"), chosen, machine)
        except SandboxUnavailable:
            continue
    return chosen, found


@pytest.mark.parametrize("tier", TIERS)
def test_the_probes_that_share_a_run_are_blocked(crowd, tier):
    """Nothing gets through a tier but its declared gaps, and every probe ran."""
    chosen, found = crowd
    if tier not in found:
        pytest.skip(f"{tier} does not hold here")
    rows = sandbox_suite.rows_of(tier, chosen, found[tier], found["none"])
    assert len(rows) >= 100
    assert [row.attack for row in rows if row.red or row.observed == "unexercised"] == []


def test_without_a_sandbox_the_probes_get_through(crowd):
    """The probes are no tautology: without isolation most of them reach what they want."""
    reached = {name for name, (observed, _) in crowd[1]["none"].items() if observed == "leaked"}
    known = {
        "AF_INET stream socket", "abstract unix socket of the host", "named unix socket of the host",
        "read a host file that everybody may read", "read the sealed tests", "read the state folder",
        "overwrite a file of a mount", "delete from a mount", "system call keyctl", "system call memfd_create",
        "host's shared memory by key", "name of the host",
    }  # fmt: skip
    assert known <= reached


def test_every_argument_of_bubblewrap_is_a_defence_or_a_provision():
    """A new argument without a row in the matrix fails here."""
    sandbox("bubblewrap")
    words = {defence.word for defence in sandbox_matrix.of_bubblewrap()}
    unknown = [word for word in sandbox_matrix.bubblewrap_words() if word not in words | set(sandbox_matrix.PROVISIONS)]
    assert unknown == []


@pytest.mark.skipif(not confine.supported(os.uname().machine), reason="no system-call table for this machine")
@pytest.mark.parametrize("sockets", ["unix", "none"])
def test_the_filter_is_made_of_defences_and_nothing_else(sockets):
    """With every declared piece cut out, only the load of two words and the final permission remain."""
    program = confine.seccomp(sockets=sockets, memfd=False, metadata=False)
    numbers = [*filters.denied_calls().values(), *filters.metadata_calls()]
    pieces = [filters.refused_by_number(number) for number in numbers]
    pieces += [filters.clone_guard(), filters.ioctl_guard(), filters.socket_guard(sockets), filters.clone3()]
    pieces += [filters.architecture(), *([filters.x32()] if os.uname().machine == "x86_64" else [])]
    for piece in pieces:
        assert program.count(piece) == 1
        program = program.replace(piece, b"")
    assert len(program) == 3 * 8
    assert program.endswith(filters.everything_allowed())


@pytest.mark.parametrize("tier", TIERS)
def test_every_row_of_the_matrix_is_a_probe(tier):
    """A defence is not proved by an attack that does not exist."""
    sandbox(tier)
    rows = {row for defence in sandbox_matrix.defences(tier) for row in defence.rows}
    assert rows <= {probe.name for probe in probes()}


def test_a_weakened_sandbox_that_finds_nothing_to_weaken_is_damage():
    """The matrix cannot claim to have removed what is not there."""
    with pytest.raises(Damaged, match="no such instructions"):
        weakened.without(b"12345678", {"filter": b""})
    with pytest.raises(Damaged, match="--no-such"):
        weakened.swapped(("--no-such",), (), {"argv": ["bwrap"]})


@pytest.mark.parametrize("name", ["filter: keyctl", "net namespace", "--new-session", "an environment of its own"])
def test_a_defence_taken_out_turns_its_row_red(name):
    """Four of the matrix, quickly: the attack sees the wall that is missing."""
    sandbox("bubblewrap")
    defence = next(one for one in sandbox_matrix.defences("bubblewrap") if one.name == name)
    blocked = dict.fromkeys((probe.name for probe in probes()), ("blocked", ""))
    assert sandbox_matrix.kill("bubblewrap", defence, blocked).proof == "proved"


def test_what_got_through_a_refused_fix_and_an_unproved_defence_are_troubles():
    """Expected by hand from one row of each kind; a declared gap is none."""
    row = Row(suite="sandbox", tier="t", attack="a", kind="k", why="w", expected="blocked", observed="leaked")
    gap = row.model_copy(update={"attack": "gap", "expected": "leaked"})
    killed = Killed(suite="sandbox", defence="d", rows=(), proof="not proved")
    accepted = Acceptance(tier="t", gradings=50, accepted=49)
    report = SuiteReport(suite="sandbox", rows=(row, gap), acceptances=(accepted,), matrix=(killed,))
    assert report.troubles == (
        "t: a leaked", "t: the true fix was accepted in 49 of 50 gradings", "defence not proved: d",
    )  # fmt: skip


def command(*arguments):
    """The console command, in a process of its own."""
    argv = [sys.executable, "-m", "flows.cli", "attack", *arguments]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("suite", "tier"), [("network", ""), ("grading", "x"), ("sandbox", "x")])
def test_an_unknown_suite_or_tier_is_refused(suite, tier, tmp_path):
    """Refused input has exit status 2 and names what was expected, before anything is attacked."""
    with pytest.raises(Refusal, match="expected one of") as refused:
        attack(suite, tier, tmp_path, 0, matrix=False, progress=lambda *_: None)
    assert refused.value.exit_status == 2


@pytest.mark.parametrize(
    ("suite", "tier", "matrix"),
    [("sandbox", "landlock", False), ("grading", "", True), ("sandbox", "", True)],
)
def test_what_is_never_forked_is_refused_with_warm(suite, tier, matrix, tmp_path):
    """The second tier and weakened sandboxes start cold; nothing is attacked instead."""
    with pytest.raises(Refusal, match=r"--warm: .*expected") as refused:
        attack(suite, tier, tmp_path, 0, matrix=matrix, progress=lambda *_: None, warm=True)
    assert refused.value.exit_status == 2


def test_the_json_of_a_grading_suite_says_what_became_of_each_cheat(capsys):
    """Per row cheat, tier, expected, observed, status and why; per tier counts, doubt, time and true fixes accepted."""
    why = {"suite": "grading", "tier": "twinned", "kind": "k", "why": "w"}
    rows = (
        Row(attack="held", expected="blocked", observed="blocked", **why),
        Row(attack="known", expected="fooled", observed="fooled", **why),
        Row(attack="hole", expected="blocked", observed="fooled", **why),
        Row(attack="idle", expected="blocked", observed="unexercised", **why),
    )
    report = SuiteReport(
        suite="grading", start="forked", rows=rows, bits={"twinned": 34.2}, seconds={"twinned": 7.5},
        acceptances=(Acceptance(tier="twinned", gradings=50, accepted=49),),
    )  # fmt: skip
    show_attacks(report, as_json=True)
    said = json.loads(capsys.readouterr().out)
    names = ("cheat", "tier", "expected", "observed", "status", "why")
    assert [[row[name] for name in names] for row in said["rows"]] == [
        ["held", "twinned", "blocked", "blocked", "held", "w"],
        ["known", "twinned", "fooled", "fooled", "known", "w"],
        ["hole", "twinned", "blocked", "fooled", "red", "w"],
        ["idle", "twinned", "blocked", "unexercised", "unexercised", "w"],
    ]
    assert said["summary"] == {"twinned": {
        "start": "forked", "attacks": 4, "blocked": 1, "fooled": 2, "leaked": 0, "unexercised": 1, "known_gaps": 1,
        "red": 1, "bits": 34.2, "seconds": 7.5, "true_fix": "accepted 49 of 50",
    }}  # fmt: skip


def test_a_machine_without_the_tier_stops_with_exit_status_5(monkeypatch, tmp_path):
    """The input was right and the machine cannot: the same command works once it can."""

    def absent(**_):
        raise SandboxUnavailable("no sandbox holds on this machine")

    monkeypatch.setattr("tasks.workspace.ladder.choose", absent)
    with pytest.raises(SandboxTrouble) as stopped:
        attack("sandbox", "bubblewrap", tmp_path, 0, matrix=False, progress=lambda *_: None)
    assert stopped.value.exit_status == 5


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_the_sandbox_suite_is_one_json_object_and_exit_status_0(tier):
    """The command says of every probe what it reached, and 0 because nothing got through but declared gaps."""
    sandbox(tier)
    said = command("--suite", "sandbox", "--tier", tier, "--json")
    assert (said.returncode, said.stderr) == (0, "")
    found = json.loads(said.stdout)
    assert found["troubles"] == []
    assert found["summary"][tier]["attacks"] >= 100


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_the_kill_matrix_of_a_tier_is_complete(tier):
    """Each defence taken out turns a row red, alone or with the walls behind it, or this machine cannot show it."""
    with host() as machine:
        full = {tier: sandbox_suite.seen(sandbox(tier), probes(), machine)}
    killed = sandbox_matrix.run([tier], full)
    assert [one.defence for one in killed if one.proof == "not proved"] == []
    assert sum(one.proof in QUICK for one in killed) >= 60
