"""What a search and a read cost on 50,000 files: ratios to ripgrep (else GNU grep) and to plain open, in one run.

Run from the checkout: python tests/benchmarks/bench_tools.py [files]
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tasks.records.tree import SourceFile, SourceTree
from tasks.workspace.snapshot import Snapshot

ROUNDS = 15
QUERIES = {
    "in no file": "absent_word",
    "in the last file": "needle_at_the_end",
    "in every file": "return",
    "not ASCII, in no file": "Stra\u00dfe",
}


def program():
    """ripgrep, of the path or of the package in this environment; else GNU grep."""
    found = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))
    return ("ripgrep", [found, "-i", "-F", "-n", "--sort", "path"]) if found else ("GNU grep", ["grep", "-rniF"])


def content(number, last):
    """About 1,000 bytes of code; one file in ten has a word outside of ASCII."""
    word = "gr\u00f6\u00dfe" if number % 10 == 0 else "size"
    body = "".join(f"def step_{number}_{k}(value):\n    # {word}\n    return value + {k}\n\n\n" for k in range(18))
    return (body + ("needle_at_the_end = 1\n" if number == last else "")).encode()


def milliseconds(work):
    """The median of some rounds, after one that warms up."""
    work()
    took = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        took.append((time.perf_counter() - started) * 1e3)
    return statistics.median(took)


def compared(name, ours, other, other_name):
    ours, other = milliseconds(ours), milliseconds(other)
    print(f"{name:34} ours {ours:9.3f} ms   {other_name} {other:9.3f} ms   ratio {ours / other:.3f}")


def main(count):
    """Print medians and ratios."""
    files = {f"package_{n // 250:03}/module_{n:05}.py": content(n, count - 1) for n in range(count)}
    tree = SourceTree(files=tuple(SourceFile(path=path, content=files[path]) for path in sorted(files)))
    snapshot = Snapshot(tree)
    print(f"{count:,} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    for what, first in (
        ("search", lambda: snapshot.search_repository("absent_word")),
        ("symbol", lambda: snapshot.inspect_symbol("step_7_3")),
    ):
        started = time.perf_counter()
        first()
        print(f"first {what}, which puts its index together: {time.perf_counter() - started:.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            place = Path(folder) / path
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(text)
        other, command = program()
        for name, query in QUERIES.items():

            def outside(query=query):
                subprocess.run([*command, query, folder], stdout=subprocess.DEVNULL, check=False)

            compared(f"search {name}", partial(snapshot.search_repository, query), outside, other)
        path = sorted(files)[count // 2]
        plain = Path(folder) / path
        compared("read one file", lambda: snapshot.read_file(path), plain.read_bytes, "open")
        lines = lambda: plain.read_text(encoding="utf-8").splitlines()[:80]  # noqa: E731
        compared("read one file", lambda: snapshot.read_file(path), lines, "open, decode, split")
    print(f"inspect_symbol of one file: {milliseconds(lambda: snapshot.inspect_symbol('step_7_3')):.3f} ms")
    print(f"inspect_symbol at its bound: {milliseconds(lambda: snapshot.inspect_symbol('value')):.3f} ms")
    costly = time.perf_counter()
    Snapshot(tree).inspect_symbol("value")
    print(f"inspect_symbol at its bound, first time: {time.perf_counter() - costly:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
