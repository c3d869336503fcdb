"""Sandboxes to attack, by name."""

import pytest

from tasks.attacks.forked import Forked
from tasks.records.errors import SandboxUnavailable
from tasks.workspace.environment import prepare
from tasks.workspace.ladder import choose


@pytest.fixture(scope="session")
def sandbox_of(tmp_path_factory):
    """A tier, or `forked`: bubblewrap's walls as the fork server puts them up. Skips what does not hold here."""
    forked = []

    def of(name):
        try:
            if name != "forked":
                return choose(allow_unsafe=True, tier=name)
            if not forked:
                forked.append(Forked(choose(tier="bubblewrap"), prepare(tmp_path_factory.mktemp("forked"))))
        except SandboxUnavailable as unavailable:
            pytest.skip(str(unavailable))
        return forked[0]

    yield of
    for sandbox in forked:
        sandbox.close()
