"""Reading: a corpus on disk becomes one record, or is refused before anything is spent on it.

Takes    the folder of a corpus, and `ingest`, the caller's race-free walk that turns a folder into a SourceTree.
Gives    a Corpus: cases and seals sorted by id, splits in the order in which they are listed.
Refuses  a missing corpus or file; a file that does not fill its form; a file or folder that does not belong there; a
         case id that is not its folder's name; a case without a seal or a seal without a case; a split that names an
         unknown case, or a case named twice or nowhere; a path that is not plain ASCII; a node id, a file of the
         truth, or an origin that points at nothing; what `surveying` finds in the folders: ids that differ in case
         only, links to sealed material, sealed text in files that are part of no case.
Source   datasets/README.md; DESIGN.md, "The tree".
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tasks.corpus.finding import refuse
from tasks.corpus.forms import (
    CaseForm,
    ControlForm,
    CorpusForm,
    EditForm,
    NodesForm,
    SealedForm,
    TruthForm,
    WrongForm,
    clean_path,
    load,
)
from tasks.corpus.surveying import on_disk, unread
from tasks.records.case import Case, Corpus, Edit, KnownPatch, Origin, Sealed, Split, TestNodes, Truth
from tasks.records.errors import Refusal
from tasks.records.tree import SourceTree

Ingest = Callable[[Path], SourceTree]


def read_corpus(root: Path, ingest: Ingest) -> Corpus:
    """The corpus in a folder, if its folders hold what reading makes of them and nothing sealed beside it.

    Raises Refusal, one line that names the file, what was expected and what was got, or every finding.
    """
    refuse(on_disk(root), root.name)
    corpus = parsed(root, ingest)
    refuse(unread(root, corpus), root.name)
    return corpus


def parsed(root: Path, ingest: Ingest) -> Corpus:
    """The corpus that the files of a folder make, whatever lies beside them.

    Raises Refusal, one line that names the file, what was expected and what was got.
    """
    if not root.is_dir():
        raise Refusal(f"corpus {str(root)!r}: expected a folder, got none")
    form = load(root / "corpus.toml", CorpusForm, f"{root.name}/corpus.toml")
    cases = {folder.name: _case(folder, ingest) for folder in _folders(root / "cases")}
    seals = {folder.name: _seal(folder, ingest, cases) for folder in _folders(root / "sealed")}
    for case_id in cases:
        if case_id not in seals:
            raise Refusal(f"{root.name}/cases/{case_id}: expected a seal of that name beside it, got none")
    splits: dict[Split, tuple[str, ...]] = {
        "train": tuple(form.splits.train),
        "dev": tuple(form.splits.dev),
        "holdout": tuple(form.splits.holdout),
    }
    _refuse_bad_splits(splits.values(), cases, f"{root.name}/corpus.toml")
    return Corpus(
        name=form.name,
        version=form.version,
        licence=form.licence.strip(),
        origin=form.origin.strip(),
        origins=_origins(form, cases, f"{root.name}/corpus.toml"),
        looks=form.looks,
        cases=tuple(cases.values()),
        sealed=tuple(seals.values()),
        splits=splits,
    )


def _origins(form: CorpusForm, cases: dict[str, Case], shown: str) -> dict[str, Origin]:
    """Where single cases come from, as far as that is said."""
    if unknown := sorted(form.origins.keys() - cases.keys()):
        raise Refusal(f"{shown}: 'origins': expected ids of cases, got {unknown[0]!r}")
    return {case_id: Origin.model_validate(each.model_dump()) for case_id, each in sorted(form.origins.items())}


def _folders(parent: Path) -> Iterator[Path]:
    """The folders below cases/ or sealed/, sorted; nothing else may lie there."""
    shown = f"{parent.parent.name}/{parent.name}"
    if not parent.is_dir():
        raise Refusal(f"{shown}: expected a folder, got none")
    for entry in sorted(parent.iterdir(), key=lambda each: each.name):
        if entry.is_symlink() or not entry.is_dir():
            raise Refusal(f"{shown}/{entry.name}: expected a folder for each case, got something else")
        yield entry


def _case(folder: Path, ingest: Ingest) -> Case:
    shown = _only(folder, "case.toml", "repo")
    form = load(folder / "case.toml", CaseForm, f"{shown}/case.toml")
    if form.case_id != folder.name:
        raise Refusal(f"{shown}/case.toml: 'case_id': expected {folder.name!r}, its folder, got {form.case_id!r}")
    repo = _tree(folder / "repo", f"{shown}/repo", ingest)
    return Case(
        case_id=form.case_id,
        group=form.group,
        issue=form.issue.strip(),
        constraints=form.constraints.strip(),
        repo=repo,
        scope=tuple(form.scope),
        public=_nodes(form.public, repo, f"{shown}/case.toml: 'public'"),
        requirements=tuple(sorted(form.requirements)),
    )


def _seal(folder: Path, ingest: Ingest, cases: dict[str, Case]) -> Sealed:
    shown = _only(folder, "sealed.toml", "tests")
    if folder.name not in cases:
        raise Refusal(f"{shown}: expected a case of that name, got none")
    form = load(folder / "sealed.toml", SealedForm, f"{shown}/sealed.toml")
    repo, tests = cases[folder.name].repo, _tree(folder / "tests", f"{shown}/tests", ingest)
    for path in form.truth.files:
        if path not in repo.by_path:
            raise Refusal(f"{shown}/sealed.toml: 'truth.files': expected files of the repository, got {path!r}")
    return Sealed(
        case_id=folder.name,
        canary=form.canary,
        tests=tests,
        nodes=_nodes(form.nodes, repo.overlaid(tests), f"{shown}/sealed.toml: 'nodes'"),
        control=_patch("control", form.control),
        wrong=tuple(_wrong(wrong) for wrong in form.wrong),
        truth=_truth(form.truth),
    )


def _only(folder: Path, *names: str) -> str:
    """How the folder is shown to a person; refuses whatever else lies in it."""
    shown = f"{folder.parent.parent.name}/{folder.parent.name}/{folder.name}"
    if strays := sorted({entry.name for entry in folder.iterdir()} - set(names)):
        raise Refusal(f"{shown}: expected {' and '.join(names)} alone, got {strays[0]!r}")
    return shown


def _tree(folder: Path, shown: str, ingest: Ingest) -> SourceTree:
    """What `ingest` makes of a folder, if it holds files and all their paths are plain."""
    if not folder.is_dir():
        raise Refusal(f"{shown}: expected a folder, got none")
    tree = ingest(folder)
    if not tree.files:
        raise Refusal(f"{shown}: expected files, got none")
    for file in tree.files:
        try:
            clean_path(file.path)
        except ValueError as error:
            raise Refusal(f"{shown}: expected {error}, got {file.path!a}") from error
    return tree


def _nodes(form: NodesForm, tree: SourceTree, shown: str) -> TestNodes:
    for node in form.fail_to_pass + form.pass_to_pass:
        path = node.partition("::")[0]
        if path not in tree.by_path:
            raise Refusal(f"{shown}: expected nodes of files that exist, got {node!r}")
    return TestNodes(fail_to_pass=tuple(form.fail_to_pass), pass_to_pass=tuple(form.pass_to_pass))


def _patch(name: str, form: ControlForm) -> KnownPatch:
    return KnownPatch(name=name, why=form.why, edits=tuple(_edit(edit) for edit in form.edits))


def _wrong(form: WrongForm) -> KnownPatch:
    return _patch(form.name, form).model_copy(update={"passes_public": form.passes_public})


def _truth(form: TruthForm) -> Truth:
    facets = tuple(tuple(facet) for facet in form.facets)
    return Truth(files=tuple(form.files), facets=facets, family=form.family)


def _edit(form: EditForm) -> Edit:
    return Edit(path=form.path, search=form.search, replace=form.replace, action=form.action)


def _refuse_bad_splits(splits: Iterable[tuple[str, ...]], cases: dict[str, Case], shown: str) -> None:
    """Every case in exactly one split, and no split with a name that is no case."""
    listed = Counter(case_id for split in splits for case_id in split)
    for case_id, times in sorted(listed.items()):
        if case_id not in cases:
            raise Refusal(f"{shown}: 'splits': expected ids of cases, got {case_id!r}")
        if times > 1:
            raise Refusal(f"{shown}: 'splits': expected each case once, got {case_id!r} {times} times")
    if unlisted := sorted(cases.keys() - listed.keys()):
        raise Refusal(f"{shown}: 'splits': expected every case in a split, got {unlisted[0]!r} in none")
