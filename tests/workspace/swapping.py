"""Exchanges names as fast as it can until it is told to stop, and prints how often: an attacker, run as a script.

    python swapping.py SWAPS ONE OTHER [ONE OTHER ...]

Each exchange is one rename call, so that there is no moment in which a name is missing. It ends with SIGTERM, but not
before it has made so many swaps.
"""

import ctypes
import signal
import sys

AT_FDCWD, RENAME_EXCHANGE = -100, 2


def main(least, *names):
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    pairs = [tuple(map(str.encode, names[start : start + 2])) for start in range(0, len(names), 2)]
    print("ready", flush=True)
    swaps = 0
    while not stopped or swaps < int(least):
        for one, other in pairs:
            if exchange(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0:
                raise OSError(ctypes.get_errno(), "renameat2")
            swaps += 1
    print(swaps)


if __name__ == "__main__":
    main(*sys.argv[1:])
