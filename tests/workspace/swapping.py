"""Exchanges names as fast as it can, for so many seconds, and prints how often: an attacker, run as a script.

    python swapping.py SECONDS ONE OTHER [ONE OTHER ...]

Each exchange is one rename call, so that there is no moment in which a name is missing.
"""

import ctypes
import sys
import time

AT_FDCWD, RENAME_EXCHANGE = -100, 2


def main(seconds, *names):
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    pairs = [tuple(map(str.encode, names[start : start + 2])) for start in range(0, len(names), 2)]
    swaps, deadline = 0, time.monotonic() + float(seconds)
    while time.monotonic() < deadline:
        for one, other in pairs:
            if exchange(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0:
                raise OSError(ctypes.get_errno(), "renameat2")
            swaps += 1
    print(swaps)


if __name__ == "__main__":
    main(*sys.argv[1:])
