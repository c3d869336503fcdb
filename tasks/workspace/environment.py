"""Environment: the interpreter environment of code under test.

pytest and what it needs are copied from what is installed here, without a network; what a case requires beside them
comes as wheels, once, and is found again by its pins afterwards.

Takes    a home folder for built environments; exact pins.
Gives    an Environment in a folder named by its content; the base Python, not our venv.
Refuses  a built environment whose files no longer hash to its name, once per process; requirements that cannot be had.
Covered      code under test can import none of our packages; no .pth file, no script, no trace of the host or of where
             and when the environment was built.
Not covered  what an index serves under a pin is believed the first time; its hash is part of the name from then on.
Source       DESIGN.md, "The tree" (last paragraph).
"""

import compileall
import functools
import json
import os
import py_compile
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from tasks.records.case import Case
from tasks.records.errors import Damaged, EnvironmentMissing
from tasks.records.fingerprint import fingerprint, sha256
from tasks.workspace import wheels

ROOTS = ("pytest",)
# pytest colours with two lexers; compiling the other 250 costs seconds and saves nothing.
NOT_COMPILED = re.compile(r"pygments/(lexers/(?!__init__|_mapping|diff|python)|styles/|formatters/(?!terminal))")

Manifest = dict[str, str]


@dataclass(frozen=True)
class Environment:
    """`site` goes on the path of `python`, the base interpreter; `fingerprint` names both contents and version."""

    fingerprint: str
    site: Path
    python: Path


def closure(roots: tuple[str, ...] = ROOTS) -> list[Distribution]:
    """The installed distributions that `roots` need at run time, in name order."""
    found: dict[str, Distribution] = {}
    wanted = list(roots)
    for name in wanted:
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            if name in roots:
                raise
            continue  # needed on another platform or version only
        if installed.name not in found:
            found[installed.name] = installed
            needs = [need for need in installed.requires or () if "extra ==" not in need]
            wanted += [re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0] for need in needs]
    return [found[name] for name in sorted(found)]


def _sources() -> dict[str, Path]:
    """Every file to copy: its path in the environment, and where it is installed."""
    sources: dict[str, Path] = {}
    for installed in closure():
        for file in installed.files or ():
            inside = file.parts[0] != ".." and file.suffix not in {".pyc", ".pth"}
            if inside and (not file.parts[0].endswith(".dist-info") or file.name in wheels.METADATA_KEPT):
                sources[file.as_posix()] = Path(str(installed.locate_file(file)))
    return dict(sorted(sources.items()))


def _hashes(site: Path) -> Manifest:
    files = sorted(path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix(): sha256(path.read_bytes()) for path in files}


def _build(folder: Path, contents: dict[str, bytes]) -> None:
    """Fill a temporary sibling and rename it: nobody ever sees half an environment."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    site = making / "site"
    for path, content in contents.items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    compileall.compile_dir(
        str(site), quiet=2, rx=NOT_COMPILED, stripdir=str(site), prependdir="site-packages",
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )  # fmt: skip
    (making / "files.json").write_text(json.dumps(_hashes(site)))
    for inside in making.rglob("*"):  # readable by the uid of the sandbox, whatever our umask
        inside.chmod(0o755 if inside.is_dir() else 0o644)
    making.chmod(0o755)
    try:
        making.rename(folder)
    except OSError:  # another process was first
        shutil.rmtree(making)


@functools.cache
def prepare(home: Path, requirements: tuple[str, ...] = ()) -> Environment:
    """The environment below `home`, built if missing, verified once per process. Pins are clean and sorted.

    Raises Damaged when a file was changed, added or removed since it was built, EnvironmentMissing when a requirement
    cannot be had.
    """
    contents = {path: source.read_bytes() for path, source in _sources().items()}
    environments = home.resolve() / "environments"
    name = _required(environments, contents, requirements) if requirements else _named(contents)
    folder = environments / name
    if not folder.exists():
        _build(folder, contents)
    recorded: Manifest = json.loads((folder / "files.json").read_bytes())
    sources = {path: digest for path, digest in recorded.items() if not path.endswith(".pyc")}
    if _name(sources) != name or _hashes(folder / "site") != recorded:
        raise Damaged(f"environment {name[:12]} is not as it was built; remove {str(folder)!r} to build it again")
    return Environment(fingerprint=name, site=folder / "site", python=base_python())


def environments(home: Path, cases: Iterable[Case]) -> dict[str, Environment]:
    """The environment of each case, by its id; cases with equal requirements share one.

    Raises EnvironmentMissing, one line that names the case and the requirement.
    """
    found: dict[str, Environment] = {}
    for case in cases:
        try:
            found[case.case_id] = prepare(home, case.requirements)
        except EnvironmentMissing as missing:
            raise EnvironmentMissing(f"case {case.case_id!r}: {missing}") from missing
    return found


def _name(hashes: Manifest) -> str:
    return fingerprint({"files": hashes, "python": sys.version})


def _named(contents: dict[str, bytes]) -> str:
    return _name({path: sha256(content) for path, content in contents.items()})


def _required(environments: Path, ours: dict[str, bytes], requirements: tuple[str, ...]) -> str:
    """The name of the environment with these requirements, fetched and built unless it was before."""
    key = fingerprint({"requirements": list(requirements), "pytest": _named(ours)})
    known = environments / "pinned" / key
    if known.exists() and (environments / (name := known.read_text())).exists():
        return name
    contents = ours | wheels.fetch(requirements, closure(), frozenset(ours), base_python())
    name = _named(contents)
    _build(environments / name, contents)
    known.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=known.parent, delete=False) as written:
        written.write(name)
    Path(written.name).rename(known)
    return name


def base_python() -> Path:
    """The interpreter below our virtual environment."""
    return Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
