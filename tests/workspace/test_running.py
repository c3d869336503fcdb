"""A confined child that stays: two pipes, a bounded stderr, and an end."""

import threading

import pytest

from tasks.attacks.forked import Forked
from tasks.records.errors import SandboxTrouble, SandboxUnavailable
from tasks.workspace.environment import base_python, prepare
from tasks.workspace.ladder import choose
from tasks.workspace.sandbox import Job, Limits, Mount

ECHO = """
import os, sys
reader = os.fdopen(int(os.environ["PROVEOUT_READ_FD"]), "rb")
writer = os.fdopen(int(os.environ["PROVEOUT_WRITE_FD"]), "wb", 0)
print("up", file=sys.stderr, flush=True)
for line in reader: writer.write(line.upper())
"""


@pytest.fixture(params=["bubblewrap", "landlock", "none", "forked"])
def sandbox(request, tmp_path_factory):
    forked = request.param == "forked"
    try:
        tier = choose(allow_unsafe=True, tier="bubblewrap" if forked else request.param)
        return Forked(tier, prepare(tmp_path_factory.getbasetemp() / "warm")) if forked else tier
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def job(code, **options):
    return Job((str(base_python()), "-I", "-S", "-B", "-c", code), limits=Limits(wall_seconds=None), **options)


def test_requests_and_answers_cross_the_two_pipes(sandbox):
    """What is written comes back; closing our end ends the child by itself."""
    running = sandbox.start(job(ECHO))
    for word in (b"a\n", b"b\n"):
        running.writer.write(word)
        running.writer.flush()
        assert word.upper() == running.reader.readline()
    running.writer.close()
    ended = running.wait(10)
    assert (ended.how, ended.status, ended.stderr, running.stderr) == ("exit", 0, b"up\n", b"up\n")
    running.kill()


def test_killing_is_idempotent_and_ends_the_tree(sandbox):
    """A second kill, and a kill after the end, do nothing."""
    running = sandbox.start(job("import time; time.sleep(60)"))
    assert running.wait(0.05) is None
    running.kill()
    running.kill()
    assert (running.wait().how, running.wait().status) == ("signal", 9)


def test_a_child_survives_the_thread_that_started_it(sandbox):
    """The kernel ties a child to its creating thread; the caller's thread may end without harm."""
    started = []
    thread = threading.Thread(target=lambda: started.append(sandbox.start(job(ECHO))))
    thread.start()
    thread.join()
    running = started[0]
    running.writer.write(b"still\n")
    running.writer.flush()
    assert running.reader.readline() == b"STILL\n"
    running.kill()


def test_a_child_that_never_started_is_trouble(sandbox):
    """The pipe ends at once, and waiting says why."""
    if isinstance(sandbox, Forked):
        pytest.skip("what is forked has started already")
    running = sandbox.start(Job(("/usr/bin/no-such-program",)))
    assert running.reader.read() == b""
    with pytest.raises(SandboxTrouble, match="no-such-program"):
        running.wait(10)
    running.kill()


def test_a_package_is_importable_from_the_parent_of_its_mount(sandbox, tmp_path):
    """A mount's parent folder can be on the path, in a tier with mounts and in one without."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "__init__.py").write_text("WORD = 'found'")
    argv = (str(base_python()), "-s", "-S", "-P", "-B", "-c", "import package; print(package.WORD)")
    mounts = (Mount(tmp_path / "source", "/opt/shown/package"),)
    ended = sandbox.run(Job(argv, mounts, env={"PYTHONPATH": "/opt/shown"}))
    assert ended.stdout == b"found\n"


def test_memfd_is_allowed_only_where_the_job_says_so():
    """No memory limit counts it, so only our own worker may have it."""
    sandbox = choose()
    code = "import os; os.memfd_create('x')"
    ended = [sandbox.run(job(code, memfd=memfd)).status for memfd in (False, True)]
    assert ended == [1, 0]
