"""Licensing: who may use the cases, and where they come from, as far as a corpus says so.

Takes    a Corpus.
Gives    findings: no licence, one that no tool can read, no origin.
Refuses  nothing.
Not covered  whether what is said is true.
Source   datasets/README.md, "corpus.toml"; the list of licences is that of SPDX, as `packaging` carries it.
"""

from collections.abc import Iterator

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from tasks.corpus.finding import Finding
from tasks.corpus.splitting import folded
from tasks.records.case import Corpus

SAYS_NOTHING = {"", "-", "?", "n/a", "na", "noassertion", "none", "tbd", "todo", "unclear", "unknown", "unlicensed"}
WHERE = ("corpus.toml",)


def licences(corpus: Corpus) -> Iterator[Finding]:
    """The corpus has a licence, and a case from elsewhere its own where that differs; both as SPDX expressions."""
    yield from _licence(corpus.licence, "the corpus", ())
    for case_id, origin in sorted(corpus.origins.items()):
        if origin.licence is not None:
            yield from _licence(origin.licence, f"case {case_id!r}", (case_id,))


def origins(corpus: Corpus) -> Iterator[Finding]:
    """The corpus says where its cases come from."""
    if folded(corpus.origin) in SAYS_NOTHING:
        detail = f"expected 'origin', where the cases come from, got {corpus.origin!r}"
        yield Finding(kind="origin-missing", case_ids=(), detail=detail, where=WHERE)


def _licence(licence: str, whose: str, case_ids: tuple[str, ...]) -> Iterator[Finding]:
    if folded(licence) in SAYS_NOTHING:
        detail = f"expected a licence of {whose}, got {licence!r}"
        yield Finding(kind="licence-missing", case_ids=case_ids, detail=detail, where=WHERE)
        return
    try:
        canonicalize_license_expression(licence)
    except InvalidLicenseExpression:
        detail = f"licence of {whose}: expected an SPDX expression such as 'MIT' or 'LicenseRef-Ours', got {licence!r}"
        yield Finding(kind="licence-unclear", case_ids=case_ids, detail=detail, where=WHERE)
