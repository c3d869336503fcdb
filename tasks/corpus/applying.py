"""Applying: whether the patches of a seal can be carried out at all, on texts in memory.

The workspace applies what candidates propose, and is the authority; this is the check that a corpus gets before there
is a workspace.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tasks.corpus.finding import Finding, seal_file
from tasks.records.case import Case, Corpus, Edit, KnownPatch


def unusable_patches(corpus: Corpus) -> Iterator[Finding]:
    """A control or known-bad patch that does not apply, or that edits what no candidate may edit."""
    for seal in corpus.sealed:
        case = corpus.case(seal.case_id)
        for patch in (seal.control, *seal.wrong):
            for problem in _problems(case, patch):
                detail, where = f"patch {patch.name!r} of {seal.case_id!r} {problem}", (seal_file(seal.case_id),)
                yield Finding(kind="unusable-patch", case_ids=(seal.case_id,), detail=detail, where=where)


def in_scope(case: Case, path: str) -> bool:
    """Read as widely as any matcher reads a glob: here `*` crosses slashes."""
    return any(fnmatchcase(path, glob) for glob in case.scope)


def _problems(case: Case, patch: KnownPatch) -> Iterator[str]:
    texts = {path: file.text for path, file in case.repo.by_path.items()}
    for edit in patch.edits:
        if not in_scope(case, edit.path):
            yield f"is out of scope at {edit.path!r}"
        if not _applied(edit, texts):
            yield f"does not apply at {edit.path!r}"


def _applied(edit: Edit, texts: dict[str, str]) -> bool:
    """Carry out one edit on the texts, in place; False if it cannot be."""
    if edit.action == "create":
        free = edit.path not in texts
        texts.setdefault(edit.path, edit.replace)
        return free
    if edit.action == "delete":
        return texts.pop(edit.path, None) is not None
    found = texts.get(edit.path, "").count(edit.search)
    texts[edit.path] = texts.get(edit.path, "").replace(edit.search, edit.replace)
    return found == 1
