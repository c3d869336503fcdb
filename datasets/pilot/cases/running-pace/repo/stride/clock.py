"""Stop watch notation, such as 1:02:30 for an hour, two minutes and a half."""


def seconds(shown):
    """Read h:mm:ss, m:ss or plain seconds."""
    total = 0
    for part in shown.split(":"):
        total = total * 60 + int(part)
    return total


def shown(total):
    """Write seconds as m:ss; fractions of a second are dropped."""
    minutes, rest = divmod(int(total), 60)
    return f"{minutes}:{rest:02d}"
