"""The grading kill matrix: what judges is copied, one defence is cut out of the copy, and cheats are tried on it.

Takes    a Ground, and the source of tasks/workspace as it is.
Gives    a Killed for each defence: proved alone, or with the patch gate or another wall opened too.
Refuses  a defence whose text the source no longer holds exactly once (Damaged).
Covered      see `grading_defences`.
Source       DESIGN.md, principle 6.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tasks.attacks.cheats import Cheat, cheats
from tasks.attacks.copies import Cut, without
from tasks.attacks.grading_defences import DEFENCES, GATE, NO_GAIN, Defence
from tasks.attacks.grading_suite import AT_A_TIME, Gate, Grading, Progress, open_gate, product_gate
from tasks.attacks.judges import Ground
from tasks.attacks.rows import Killed
from tasks.records.grading import GradingTier


def _fooled(ground: Ground, defence: Defence, cuts: Sequence[Cut], gate: Gate) -> tuple[str, ...]:
    """Which of the defence's cheats get through, every time, when the cuts are made."""
    chosen = [cheat for cheat in cheats() if cheat.name in defence.rows]
    with without(cuts) as parts:
        weak = replace(ground, parts=parts, nodes=defence.nodes or ground.nodes)
        if defence.tier == "twinned" and not defence.plans_anew:
            vars(weak)["twins"] = ground.twins
        suite = Grading(weak, gate=gate)
        return tuple(cheat.name for cheat in chosen if _every_time(suite, defence, cheat))


def _every_time(suite: Grading, defence: Defence, cheat: Cheat) -> bool:
    return all(suite.fooled(defence.tier, cheat) for _ in range(defence.gradings))


def kill(ground: Ground, defence: Defence) -> Killed:
    """Cut one defence out; if no cheat gets through, open what stands behind it, one wall more at a time."""
    label = f"{defence.tier}: {defence.name}"
    gate = open_gate if defence.opens_gate else product_gate
    if red := _fooled(ground, defence, defence.cuts, gate):
        return Killed(suite="grading", defence=label, rows=red, proof="proved")
    names, cuts = [], list(defence.cuts)
    for name, more in [*([(GATE, ())] if defence.behind_gate else []), *defence.behind]:
        names.append(name)
        cuts += more
        gate = open_gate if defence.behind_gate else gate
        if red := _fooled(ground, defence, cuts, gate):
            return _redundant(ground, defence, cuts, gate, names, red, label)
    return Killed(suite="grading", defence=label, rows=(), proof="not proved", note="no cheat got through")


def _redundant(
    ground: Ground, defence: Defence, cuts: Sequence[Cut], gate: Gate, names: Sequence[str], red: tuple[str, ...],
    label: str,
) -> Killed:  # fmt: skip
    """Only if the defence holds by itself when everything behind it is open: else it was the others that gave way."""
    alone = [cut for cut in cuts if cut not in defence.cuts]
    held = set(red) - set(_fooled(ground, defence, alone, product_gate if defence.opens_gate else gate))
    proof = "redundant" if held else "not proved"
    return Killed(
        suite="grading", defence=label, rows=tuple(sorted(held)), proof=proof, redundant_with=tuple(names),
        note="" if held else "gives way together with the others",
    )  # fmt: skip


def run(ground: Ground, tiers: Sequence[GradingTier], progress: Progress | None = None) -> list[Killed]:
    """Every defence of these tiers, two at a time; at the end, what is no wall and why it is there."""
    mine = [defence for defence in DEFENCES if defence.tier in tiers]
    if "twinned" in tiers:
        _ = ground.twins  # once, and not in two threads
    killed = []
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for number, one in enumerate(pool.map(lambda defence: kill(ground, defence), mine), start=1):
            killed.append(one)
            if progress:
                progress("kill matrix, grading", number, len(mine))
    return [*killed, *(_no_wall(tier, name, why) for (tier, name), why in NO_GAIN.items() if tier in tiers)]


def _no_wall(tier: GradingTier, name: str, why: str) -> Killed:
    return Killed(suite="grading", defence=f"{tier}: {name}", rows=(), proof="no wall", note=why)
