"""What may happen to a match, and when."""

START = "scheduled"

NEXT = {
    ("scheduled", "kick_off"): "live",
    ("scheduled", "postpone"): "postponed",
    ("postponed", "reschedule"): "scheduled",
    ("live", "halt"): "halted",
    ("live", "final_whistle"): "finished",
    ("halted", "abandon"): "void",
}


def after(state, event):
    """The state that an event leads to. Raises ValueError if it cannot happen now."""
    if (state, event) not in NEXT:
        raise ValueError(f"{event} is not possible while {state}")
    return NEXT[state, event]
