"""The probe: what each tier promises is held here, and where nothing holds the probe sees that it does not."""

import os

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.workspace import landlock, probe
from tasks.workspace.ladder import choose
from tasks.workspace.landlock import Unconfined
from tasks.workspace.probe import ALL, QUICK, examine, promises
from tasks.workspace.sandbox import Ended

KNOWN_GAPS = {
    "bubblewrap": {"learns no place of the host"},
    "landlock": {"learns nothing of a file of the host"},
}


@pytest.mark.parametrize("tier", KNOWN_GAPS)
def test_a_tier_keeps_every_promise(tier):
    """Each question is asked for real; what is not promised are the known gaps, and no others."""
    try:
        probed = examine(choose(tier=tier))
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    assert probed.broken == ()
    assert list(ALL) == [finding.question for finding in probed.findings]
    unpromised = {finding.question for finding in probed.findings if not finding.promised}
    mounts = set() if landlock.mountable() or tier == "bubblewrap" else probe.NEEDS_MOUNTS
    assert KNOWN_GAPS[tier] | mounts == unpromised
    assert "" not in {finding.detail for finding in probed.findings}


def test_without_isolation_the_same_questions_find_everything_open():
    """The probe is no tautology: it reads, listens, signals and fills what no tier keeps from it."""
    probed = examine(choose(allow_unsafe=True, tier="none"))
    through = {finding.question for finding in probed.findings if not finding.held}
    expected = {
        "opens no network socket", "reads no file of the host", "cannot change what it is shown",
        "opens no socket of any other family", "reaches no unix socket of the host", "signals no process of the host",
        "sees no process of the host", "learns nothing of a file of the host",
        "learns no place of the host", "traces no process", "has no capability", "forks no more than its limit",
        "gets no memory that no limit counts",
    }  # fmt: skip
    if os.geteuid() == 0:  # an ordinary user's views need a user namespace, which keeps the caller's secrets by itself
        expected |= {"reads no environment of the caller", "reads no memory of the caller"}
    assert expected <= through
    assert probed.broken == ()


def test_the_quick_questions_are_the_first_of_all():
    """Choosing a tier asks what costs nothing; isolation and use are both among it."""
    assert ALL[: len(QUICK)] == QUICK
    assert {"opens no network socket", "reads no file of the host", "writes to a view"} <= set(QUICK)
    assert promises("none") < promises("landlock")


@pytest.mark.parametrize("tier", ["bubblewrap", "landlock"])
def test_a_sandbox_that_does_not_hold_is_not_chosen(tier):
    """Behaviour is judged: a tier that isolates nothing breaks its promises, whatever it calls itself."""

    class Boasting(Unconfined):
        pass

    Boasting.tier = tier
    with pytest.raises(
        SandboxUnavailable, match=r"does not hold: .*opens no network socket \(.*no file of the host \("
    ):
        probe.probe(Boasting())


def test_a_question_without_an_answer_did_not_hold():
    """A probe that was killed on the way says nothing good about what it had yet to ask."""

    class Silent:
        tier = "bubblewrap"

        def run(self, job):
            answered = b'["runs as an ordinary user", true, "uid 1"]\n'
            return Ended("timeout", None, b"", b"", answered, truncated=False, seconds=1.0)

    held = {finding.question for finding in examine(Silent()).findings if finding.held}
    assert held == {"runs as an ordinary user", "signals no process of the host"}
    with pytest.raises(SandboxUnavailable, match="no answer: the probe ended with timeout"):
        probe.probe(Silent())
