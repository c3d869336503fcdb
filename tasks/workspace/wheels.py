"""Wheels: what a case's requirements put on the path, fetched and unpacked by uv or pip, and believed in nothing.

Takes    clean pins; the distributions of pytest's own closure, which are there already; the base Python.
Gives    the files of exactly those distributions, by path, without scripts, bytecode, .pth files and installer notes.
Refuses  what cannot be had as a wheel of that version; a need of a requirement that is not pinned, or pinned otherwise;
         a pin that differs from what pytest runs with; a wheel that brings a top-level name of pytest's.
Covered      no code of a requirement runs: no build, no setup.py, no script, no import. The index and the proxy are
             those of the user's own settings, whatever else these say about building from source.
Not covered  two requirements that both bring one file: uv and pip let the later one win.
Source   DESIGN.md, "Running and grading code"; PEP 427 (what a wheel holds), PEP 508 (needs and markers).
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from tasks.records.errors import EnvironmentMissing
from tasks.records.pin import canonical, split_pin

METADATA_KEPT = frozenset({"METADATA", "entry_points.txt"})
PATIENCE_SECONDS = 600
MAX_SAID = 300
CHATTER = ("warning", "using ", "hint", "[notice]")
# A user may prefer to build from source; here nobody builds.
BUILDING = ("UV_NO_BINARY", "UV_NO_BINARY_PACKAGE", "PIP_NO_BINARY", "PIP_PREFER_BINARY")


def fetch(
    pins: tuple[str, ...], ours: list[Distribution], taken: frozenset[str], python: Path
) -> dict[str, bytes]:  # fmt: skip
    """The files of `pins`, to lie beside `ours`, whose files are `taken`.

    Raises EnvironmentMissing, one line that names the requirement.
    """
    present = {canonical(each.name): each.version for each in ours}
    wanted = [pin for pin in pins if not _present(pin, present)]
    with tempfile.TemporaryDirectory(prefix="proveout-wheels-") as folder:
        site = Path(folder) / "site"
        site.mkdir()
        if wanted:
            _unpack(wanted, site, python)
        _check(wanted, present, list(distributions(path=[str(site)])))
        files = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*")) if _kept(path, site)}
        _refuse_taken(files, taken)
        return {path: file.read_bytes() for path, file in files.items()}


def _present(pin: str, present: Mapping[str, str]) -> bool:
    """Whether pytest's closure holds the pin already; refuses another version of what it holds."""
    name, version = split_pin(pin)
    if name in present and Version(present[name]) != Version(version):
        raise EnvironmentMissing(f"requirement {pin!r}: expected {name}=={present[name]}, with which pytest runs here")
    return name in present


def installer(python: Path) -> list[str]:
    """The words that unpack wheels with uv, or else with the base Python's pip."""
    if uv := shutil.which(os.environ.get("UV", "uv")):
        return [uv, "pip", "install", "--python", str(python), "--no-deps", "--only-binary", ":all:", "--no-progress"]
    pip = [str(python), "-m", "pip", "install", "--no-deps", "--only-binary=:all:", "--no-compile", "--no-input"]
    return [*pip, "--disable-pip-version-check", "--quiet"]


def _unpack(pins: list[str], site: Path, python: Path) -> None:
    """All at once; when that fails, one by one, to learn which is to blame."""
    if not (trouble := _trouble(pins, site, python)):
        return
    for pin in pins:
        if why := _trouble([pin], site, python):
            raise EnvironmentMissing(f"requirement {pin!r} cannot be had: {why}")
    raise EnvironmentMissing(f"requirements {', '.join(pins)} cannot be had together: {trouble}")


def _trouble(pins: list[str], site: Path, python: Path) -> str:
    """Why the pins could not be unpacked; empty if they were."""
    env = {name: value for name, value in os.environ.items() if name not in BUILDING}
    words = [*installer(python), "--target", str(site), *pins]
    try:
        done = subprocess.run(words, env=env, capture_output=True, cwd="/", timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {PATIENCE_SECONDS} seconds"
    return reason(done.stderr.decode(errors="replace")) if done.returncode else ""


def reason(said: str) -> str:
    """What an installer wrote, as one line without addresses: those of an index may hold a password."""
    lines = [
        line for line in said.splitlines() if not line.lower().startswith(("warning", "using ", "hint", "[notice]"))
    ]
    text = re.sub(r"\w+://\S+", "the index", " ".join(" ".join(lines).split()))
    text = re.sub(r"\(from versions: [^)]*\) ", "", text)
    if "No module named pip" in text:
        return "neither uv nor pip is installed"
    return text.removeprefix("error: ").removeprefix("ERROR: ")[:MAX_SAID] or "the installer did not say why"


def _check(wanted: list[str], present: Mapping[str, str], fetched: list[Distribution]) -> None:
    """Exactly what was wanted came, and all that it needs is there."""
    came = {canonical(each.name): each.version for each in fetched}
    for pin in wanted:
        name, version = split_pin(pin)
        if name not in came or Version(came[name]) != Version(version):
            raise EnvironmentMissing(f"requirement {pin!r}: the index gave {came.get(name, 'nothing')!r} for it")
    if strays := sorted(came.keys() - {split_pin(pin)[0] for pin in wanted}):
        raise EnvironmentMissing(f"requirement {strays[0]!r} came without being asked for")
    there = {**present, **came}
    for each in fetched:
        for need in map(Requirement, each.requires or ()):
            if unmet := _unmet(need, there):
                raise EnvironmentMissing(f"requirement '{canonical(each.name)}=={each.version}' needs {unmet}")


def _unmet(need: Requirement, there: Mapping[str, str]) -> str:
    """What is wrong with a need; empty if it is met, or is for another platform or an extra."""
    if need.marker is not None and not need.marker.evaluate({"extra": ""}):
        return ""
    name = canonical(need.name)
    wanted = f"{name}{need.specifier}"
    if name not in there:
        return f"{wanted!r}, which is not pinned"
    return "" if need.specifier.contains(there[name], prereleases=True) else f"{wanted!r}, and {there[name]} is pinned"


def _kept(path: Path, site: Path) -> bool:
    """Whether a file goes on the path: no script, bytecode, .pth file or note of the installer."""
    first = path.relative_to(site).parts[0]
    if path.is_symlink() or not path.is_file() or path.suffix in {".pth", ".pyc"}:
        return False
    if first == "bin" or first.startswith("."):  # scripts, and the installer's own lock
        return False
    return not first.endswith(".dist-info") or path.name in METADATA_KEPT


def _refuse_taken(files: Iterable[str], taken: Iterable[str]) -> None:
    """A wheel may not bring a module that pytest is made of, under any spelling that Python would import."""
    tops = {_module(path) for path in taken}
    for path in files:
        if _module(path) in tops:
            raise EnvironmentMissing(f"a requirement brings {path!r}, and {_module(path)!r} is what pytest runs with")


def _module(path: str) -> str:
    """The top-level name that a file belongs to: a package's folder, or a module without its suffixes."""
    first, *rest = path.split("/")
    return first if rest else first.partition(".")[0]
