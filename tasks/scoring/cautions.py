"""Cautions: what looks like certainty and is none.

Takes    a Pairing; the deltas of its groups.
Gives    sentences for the reader of a comparison; none where nothing needs saying.
Refuses  nothing.
Source   DESIGN.md, "Statistics and policy": deterministic models show zero noise; say so.
"""

from collections.abc import Mapping

from tasks.scoring.inference import sample_sd
from tasks.scoring.pairing import ARMS, Pairing


def cautions(pairing: Pairing, deltas: Mapping[str, float]) -> tuple[str, ...]:
    """Equal deltas in every group; sessions that all repeat the first."""
    return (*_equal_groups(deltas), *_equal_sessions(pairing))


def _equal_groups(deltas: Mapping[str, float]) -> tuple[str, ...]:
    values = list(deltas.values())
    if len(values) < 2 or sample_sd(values) > 0:
        return ()
    said = (
        f"All {len(values)} groups differ by the same {values[0]:+.3f}: the interval has no width because this sample "
        "shows no variance, not because the effect is known exactly; the sign-flip test alone carries the evidence."
    )
    return (said,)


def _equal_sessions(pairing: Pairing) -> tuple[str, ...]:
    cells = [pairing.values(case_id, arm) for case_id in pairing.case_ids for arm in ARMS]
    repeated = [values for values in cells if len(values) > 1]
    if not repeated or any(max(values) > min(values) for values in repeated):
        return ()
    said = (
        f"All {pairing.sessions} sessions of each case scored alike in both arms: deterministic replies show zero "
        "noise between sessions, and repeating them adds no evidence."
    )
    return (said,)
