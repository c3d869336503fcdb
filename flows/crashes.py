"""What a killed process left behind: its runs still say Running, in Prefect, in MLflow and in the journal.

Only runs of this host and this state folder whose process is gone are touched. Processes need no hunting: the worker,
the sandboxes and the embedded server are tied to their parent by the kernel.
"""

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import State
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError
from prefect.states import Crashed

from tasks.evidence.journal import Entry, Journal
from tasks.evidence.tracking import Tracker


def mark_crashed(journal: Journal, tracker: Tracker) -> list[str]:
    """Mark them Crashed in Prefect, KILLED in MLflow, crashed in the journal; gives their run ids."""
    tracker.crash_orphans()
    crashed = journal.crashed()
    if crashed:
        with get_client(sync_client=True) as client:
            for entry in crashed:
                _in_prefect(client, entry)
    for entry in crashed:
        journal.end(entry, "crashed", said="its process ended without a word")
    return [entry.run_id for entry in crashed]


def _in_prefect(client: SyncPrefectClient, entry: Entry) -> None:
    gone = f"process {entry.process.get('proveout.pid')} is gone; the same command goes on from here"
    state: State[None] = Crashed(message=gone)
    try:
        client.set_flow_run_state(entry.run_id, state, force=True)
        runs = client.read_task_runs(flow_run_filter=FlowRunFilter(id=FlowRunFilterId(any_=[entry.run_id])))
        for run in runs:
            if run.state is None or not run.state.is_final():
                client.set_task_run_state(run.id, state, force=True)
    except (ObjectNotFound, PrefectHTTPStatusError):
        return  # another server's run, or one that its server has forgotten
