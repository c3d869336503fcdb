"""Leaking: sealed material that stands where a program may read it.

Takes    a Corpus.
Gives    findings: canaries, lines of sealed tests and of control patches, diffs and commits of the fix.
Refuses  nothing.
Covered      everything that a case shows: issue, constraints, scope, names, and each file of its repository, in
             whichever case it stands. Lines are compared without layout.
Not covered  what is told in other words; lines of fewer than 20 characters (in an issue: 10); what lies in the folder
             of a case without being part of it (`surveying`).
Source   datasets/README.md, "What may never be in cases/".
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from tasks.corpus.finding import Finding, Kind, case_file, repository, seal_file, sealed_tests
from tasks.corpus.similarity import squeezed, telling_lines
from tasks.records.case import Case, Corpus, Sealed

MIN_TELLING_CHARS = 20
# Shorter in an issue, which is prose: of the pilot's 48 control patches no line of 8 or more stands in one (measured).
MIN_FIX_CHARS = 10
MIN_COMMIT_CHARS = 10
BOILERPLATE = ("import ", "from ", "#", "@pytest", "with pytest.raises", "pytestmark", "if __name__")
DIFF = re.compile(r"^(diff --git |@@ -\d+(,\d+)? \+\d+(,\d+)? @@)", re.MULTILINE)


def canaries(corpus: Corpus) -> Iterator[Finding]:
    """Each case has a canary of its own, in all of its sealed test files and nowhere in sight."""
    for seal in corpus.sealed:
        for file in seal.tests.files:
            if seal.canary not in file.text:
                detail = f"sealed file {file.path!r} of {seal.case_id!r} is without its canary"
                yield _one("canary-missing", seal.case_id, detail, sealed_tests(seal.case_id, file.path))
        for case in corpus.cases:
            if seal.canary in visible_text(case):
                detail = f"the canary of {seal.case_id!r} is in sight in {case.case_id!r}"
                ids = tuple(dict.fromkeys((seal.case_id, case.case_id)))
                yield Finding(kind="canary-in-sight", case_ids=ids, detail=detail, where=_places(case, seal.canary))


def shared_canaries(corpus: Corpus) -> Iterator[Finding]:
    """A canary that two seals have could not tell which of them was broken."""
    owners = defaultdict(list)
    for seal in corpus.sealed:
        owners[seal.canary].append(seal.case_id)
    for case_ids in owners.values():
        if len(case_ids) > 1:
            detail = f"{', '.join(case_ids)} have one canary"
            where = tuple(map(seal_file, case_ids))
            yield Finding(kind="canary-shared", case_ids=tuple(case_ids), detail=detail, where=where)


def sealed_text_in_sight(corpus: Corpus) -> Iterator[Finding]:
    """A telling line of a sealed test or of a control patch that stands in the visible part of any case."""
    seen = {case.case_id: squeezed(visible_text(case)) for case in corpus.cases}
    for seal in corpus.sealed:
        for kind, line in telling(seal):
            for case_id in (case_id for case_id, text in seen.items() if line in text):
                what = "sealed test" if kind == "sealed-test-in-sight" else "control patch"
                detail = f"a line of the {what} of {seal.case_id!r} is in sight in {case_id!r}: {line!r}"
                ids = tuple(dict.fromkeys((seal.case_id, case_id)))
                yield Finding(kind=kind, case_ids=ids, detail=detail, where=_places(corpus.case(case_id), line))


def fixes_in_issues(corpus: Corpus) -> Iterator[Finding]:
    """An issue, or constraints, with a line that the control patch adds, with a diff, or with the commit of the fix."""
    for case in corpus.cases:
        prose = f"{case.issue}\n{case.constraints}"
        for line in _added(case, corpus.seal(case.case_id)):
            if _bare(line) in _bare(prose):
                detail = f"the issue of {case.case_id!r} has a line of its control patch: {line!r}"
                yield _one("fix-in-issue", case.case_id, detail, case_file(case.case_id))
        if found := DIFF.search(prose):
            detail = f"the issue of {case.case_id!r} has a diff: {found.group()!r}"
            yield _one("patch-in-issue", case.case_id, detail, case_file(case.case_id))


def commits_in_sight(corpus: Corpus) -> Iterator[Finding]:
    """The commit that a case was taken from leads to its fix."""
    for case_id, origin in sorted(corpus.origins.items()):
        case, named = corpus.case(case_id), origin.commit[:MIN_COMMIT_CHARS]
        if named in visible_text(case):
            detail = f"the commit of {case_id!r} is in sight: {named!r}"
            yield Finding(kind="commit-in-sight", case_ids=(case_id,), detail=detail, where=_places(case, named))


def telling(seal: Sealed) -> Iterator[tuple[Kind, str]]:
    """Lines that nobody could have written without having seen the seal."""
    for file in seal.tests.files:
        for line in telling_lines(file.text, MIN_TELLING_CHARS, BOILERPLATE):
            yield "sealed-test-in-sight", line
    for edit in seal.control.edits:
        before = squeezed(edit.search)
        for line in telling_lines(edit.replace, MIN_TELLING_CHARS, BOILERPLATE):
            if line not in before:
                yield "control-patch-in-sight", line


def visible_text(case: Case) -> str:
    """All that a program may come to see of a case, as one text."""
    return "\n".join([_form_text(case), *(f"{file.path}\n{file.text}" for file in case.repo.files)])


def _form_text(case: Case) -> str:
    return "\n".join([case.case_id, case.group, case.issue, case.constraints, *case.scope, *case.public.all])


def _added(case: Case, seal: Sealed) -> Iterator[str]:
    """Lines of the control patch that the repository does not have; shorter ones than `telling` asks for, too."""
    there = _bare("\n".join(file.text for file in case.repo.files))
    for edit in seal.control.edits:
        for line in edit.replace.splitlines():
            if MIN_FIX_CHARS <= len(_bare(line)) and _bare(line) not in there:
                yield squeezed(line)


def _bare(text: str) -> str:
    return "".join(text.split())


def _places(case: Case, words: str) -> tuple[str, ...]:
    """Where in a case these words stand, layout aside; the case's folder if they run over several files."""
    texts = {case_file(case.case_id): _form_text(case)}
    texts |= {repository(case.case_id, file.path): f"{file.path}\n{file.text}" for file in case.repo.files}
    return tuple(path for path, text in texts.items() if words in squeezed(text)) or (f"cases/{case.case_id}",)


def _one(kind: Kind, case_id: str, detail: str, where: str) -> Finding:
    return Finding(kind=kind, case_ids=(case_id,), detail=detail, where=(where,))
