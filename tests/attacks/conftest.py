"""Sandboxes to attack, by name."""

import pytest

from tasks.records.errors import SandboxUnavailable
from tasks.workspace.ladder import choose
from tests.forking import Forked


@pytest.fixture(scope="session")
def sandbox_of(tmp_path_factory):
    """A tier, or `forked`: bubblewrap's walls as the fork server puts them up. Skips what does not hold here."""
    forked = []

    def of(name):
        try:
            if name != "forked":
                return choose(allow_unsafe=True, tier=name)
            if not forked:
                forked.append(Forked(tmp_path_factory.mktemp("forked"), choose(tier="bubblewrap")))
        except SandboxUnavailable as unavailable:
            pytest.skip(str(unavailable))
        return forked[0]

    yield of
    for sandbox in forked:
        sandbox.server.close()
