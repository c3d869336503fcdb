"""Playing time."""


def playing_time(log):
    """Minutes for which a match was live, as far as it has been halted or has ended."""
    total = 0
    began = None
    for minute, event in log:
        if event == "kick_off":
            began = minute
        elif event in ("halt", "final_whistle"):
            total += minute - began
    return total
