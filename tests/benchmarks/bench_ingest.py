"""What the walk costs: reading a tree of 50,000 files, beside a plain os.walk and read of the same tree.

    python tests/benchmarks/bench_ingest.py [FILES] [ROUNDS] [BYTES_PER_FILE]

Seconds are the least of the rounds, the two readers by turns. Memory is what tracemalloc sees of each result while it
is held, beside the bytes of all contents.
"""

import os
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from tasks.workspace.ingest import survey


def made(root, files, size_bytes):
    """Fifty files a folder, with contents that differ."""
    for number in range(files):
        path = root / f"package_{number // 2500}" / f"part_{number // 50 % 50}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"VALUE = %08d\n" % number * (size_bytes // 17))


def plain(root):
    contents = {}
    for parent, _, names in os.walk(root):
        for name in names:
            with open(os.path.join(parent, name), "rb") as file:  # noqa: PTH118, PTH123 - the plainest there is
                contents[os.path.join(parent, name)] = file.read()  # noqa: PTH118
    return contents


def seconds(read, root):
    started = time.perf_counter()
    read(root)
    return time.perf_counter() - started


def held_bytes(read, root):
    tracemalloc.start()
    result = read(root)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held, result


def main(files=50_000, rounds=5, size_bytes=2_040):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        made(root, files, size_bytes)
        took = {reader.__name__: [] for reader in (plain, survey)}
        for _ in range(rounds):
            for reader in (plain, survey):
                took[reader.__name__].append(seconds(reader, root))
        held, found = held_bytes(survey, root)
        held_plain, _ = held_bytes(plain, root)
        total = sum(len(file.content) for file in found.tree.files)
    least = {name: min(times) for name, times in took.items()}
    print(f"{len(found.tree.files):,} files, {total:,} bytes, {len(found.skipped)} left out")
    print(f"plain {least['plain']:.2f} s  survey {least['survey']:.2f} s  ratio {least['survey'] / least['plain']:.2f}")
    print(f"memory: survey {held / total:.2f}, plain {held_plain / total:.2f} of the contents' bytes")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
