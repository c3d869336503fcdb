"""A forged worker: any function behind the real wire, brokers and bench, in the place of the confined process."""

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from flows.opening import laboratory
from tasks.evidence.store import EvidenceStore
from tasks.freeze import freeze, read_spec
from tasks.records.evidence import request_of
from tasks.records.stages import Proven
from tasks.trials.laboratory import silent
from tasks.worker.wire import Channel, WireError
from tests.small import home_in, pilot

SPEC = Path(__file__).resolve().parents[2] / "manifests" / "pilot.toml"


class ForgedProcess:
    """What a sandbox gives for a started worker; `script` gets the worker's end of the wire."""

    stderr = b""

    def __init__(self, script):
        down, up = os.pipe(), os.pipe()
        self.reader, self.writer = os.fdopen(up[0], "rb"), os.fdopen(down[1], "wb")
        ours = Channel(os.fdopen(down[0], "rb"), os.fdopen(up[1], "wb"))
        self._thread = threading.Thread(target=self._play, args=(script, ours), daemon=True)
        self._thread.start()

    @staticmethod
    def _play(script, channel):
        try:
            script(channel)
        except WireError:
            pass  # the parent has had enough
        finally:
            channel._reader.close()
            with suppress(OSError):
                channel._writer.close()

    def kill(self):
        for end in (self.writer, self.reader):
            with suppress(OSError):
                end.close()
        self._thread.join(timeout=10)


class ForgedSandbox:
    """A sandbox whose workers are forged; tests of code still run in the real one."""

    def __init__(self, script, real):
        self._script, self._real = script, real
        self.tier = real.tier

    def start(self, job):
        return ForgedProcess(self._script)

    def run(self, job):
        return self._real.run(job)


def forged(script, **changes):
    """A laboratory for the pilot in a state folder of its own, and a harness that is taken to be proven."""
    spec = read_spec(SPEC).model_copy(update=changes)
    home, corpus = home_in(Path(tempfile.mkdtemp(prefix="forged-"))), pilot()
    manifest = freeze(spec, corpus, "test")
    manifest = manifest.model_copy(update={"dev_ids": manifest.dev_ids[:2]})  # enough to lie about
    lab = laboratory(manifest, corpus, home, EvidenceStore(home), silent)
    lab.sandbox = ForgedSandbox(script, lab.sandbox)
    named = {"manifest": manifest.fingerprint, "sandbox_tier": "bubblewrap", "environment": ""}
    proven = Proven(**named, plans=(), rows=(), rule=())
    return lab, proven


def saw_nothing(cases, case_id, reproduced):
    """The evidence of an attempt that asked no tool: bound to its case and to the failure that it was shown."""
    case = next(case for case in cases if case["case_id"] == case_id)
    return {"request": request_of(case["issue"], case["constraints"], reproduced["report"]), "observations": []}
