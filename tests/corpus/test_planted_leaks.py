"""Planted leaks: each in a copy of a small corpus in order, each found by its name, and each refused by freeze."""

import os
import unicodedata
from pathlib import Path

import pytest

from tasks.corpus.finding import Finding
from tasks.corpus.inspecting import inspect
from tasks.corpus.reading import read_corpus
from tasks.freeze import freeze, read_spec
from tasks.records.errors import Refusal
from tasks.workspace.ingest import ingest
from tests.corpus.making import CORPUS, canary_of, files, written

SPEC = read_spec(Path(__file__).resolve().parents[2] / "manifests" / "pilot.toml")
CLOCK, KITE, JAM = (f"cases/{case_id}" for case_id in ("clock-hands", "kite-string", "jam-labels"))
KITE_REPO, KITE_SEAL = f"{KITE}/repo", "sealed/kite-string"
KITE_TEST = f"{KITE_SEAL}/tests/tests/test_sealed.py"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SOURCE = """
def total(prices, discount):
    sum_so_far = 0
    for price in prices:
        if price > 100:
            price = price - discount
        sum_so_far = sum_so_far + price
    return round(sum_so_far, 2)


def cheapest(prices):
    found = None
    for price in prices:
        if found is None or price < found:
            found = price
    return found
"""
NAMES = {"prices": "heights", "price": "height", "total": "climb", "sum_so_far": "metres", "cheapest": "lowest"}


def edit(root, path, old, new):
    """Replace one text in a file that has it."""
    file = root / path
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new))


def add(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def issue(root, case, text):
    """Give a case another issue."""
    path = root / case / "case.toml"
    before, _, after = path.read_text().split("'''")
    path.write_text(f"{before}'''\n{text}\n'''{after}")


def origins(root, **repositories):
    """Say of two cases where they come from."""
    for name, (repository, commit) in repositories.items():
        words = f'[origins.{name.replace("_", "-")}]\nrepository = "{repository}"\ncommit = "{commit}"\n'
        (root / "corpus.toml").write_text((root / "corpus.toml").read_text() + words)


def group_across_splits(root):
    edit(root, f"{KITE}/case.toml", "kite-string-group", "clock-hands-group")


def group_in_capitals(root):
    edit(root, f"{KITE}/case.toml", "kite-string-group", "Clock-Hands-Group")


def group_in_another_unicode_form(root):
    for case, form in ((KITE, "NFC"), (CLOCK, "NFD")):
        group = unicodedata.normalize(form, "Zürich")
        edit(root, f"{case}/case.toml", f"{Path(case).name}-group", group)


def tree_copied(root):
    """The clock's repository in the kite's place, and what a seal needs to fit it."""
    for path in list((root / KITE_REPO).rglob("*.py")):
        path.unlink()
    for path in (root / CLOCK / "repo").rglob("*.py"):
        add(root, f"{KITE_REPO}/{path.relative_to(root / CLOCK / 'repo')}", path.read_text())
    edit(root, f"{KITE_SEAL}/sealed.toml", "wind_metres", "hand_angle")


def tree_nearly_copied(root):
    for case in (CLOCK, KITE):
        add(root, f"{case}/repo/package/prices.py", SOURCE)


def tree_copied_with_other_names(root):
    renamed = SOURCE
    for old, new in NAMES.items():
        renamed = renamed.replace(old, new)
    add(root, f"{CLOCK}/repo/package/prices.py", SOURCE)
    add(root, f"{KITE_REPO}/package/heights.py", f"# Heights of a walk, in metres.\n{renamed}")


def issue_copied(root):
    issue(root, KITE, "when the short hand stands at  TWELVE the long one lags behind by a whole minute.")


def issue_nearly_copied(root):
    issue(root, KITE, "When the short hand stands at twelve the long one lags behind by a whole minute. Help me.")


def sealed_tests_copied(root):
    """Another canary, another comment and another layout make no other test."""
    clock = files()["sealed/clock-hands/tests/tests/test_sealed.py"]
    text = clock.replace(canary_of("clock-hands"), canary_of("kite-string")).replace(" == ", "  ==  ")
    add(root, KITE_TEST, f"# Winding.\n{text}")


def sealed_tests_nearly_copied(root):
    lines = "".join(f"def test_number_{number}():\n    assert hands({number}) == {number * 7}\n" for number in range(9))
    for case_id, more in (("clock-hands", ""), ("kite-string", "def test_last():\n    assert hands(99) == 693\n")):
        path = f"sealed/{case_id}/tests/tests/test_sealed.py"
        add(root, path, f"# {canary_of(case_id)}\n{lines}{more}")


def public_tests_copied(root):
    for case in (CLOCK, KITE):
        add(root, f"{case}/repo/tests/test_public.py", "def test_it():\n    assert 1 + 1 == 2\n")


def one_commit(root):
    origins(root, clock_hands=("https://host/a", COMMIT), kite_string=("git@host:a.git", COMMIT))


def one_repository(root):
    origins(root, clock_hands=("https://host/a.git", COMMIT), kite_string=("git@Host:a", COMMIT[::-1]))


def canary_in_another_case(root):
    add(root, f"{JAM}/repo/NOTES.md", f"see {canary_of('kite-string')}\n")


def canary_left_out(root):
    add(root, f"{KITE_SEAL}/tests/tests/data.csv", "1;2\n")


def canary_used_twice(root):
    for path in ("sealed.toml", "tests/tests/test_sealed.py"):
        edit(root, f"{KITE_SEAL}/{path}", canary_of("kite-string"), canary_of("jam-labels"))


def sealed_assertion_in_the_readme(root):
    add(root, f"{KITE_REPO}/README.md", "Once this held: assert wind_metres() +\n   wind_metres() == 4, in spring.\n")


def patch_line_in_a_comment(root):
    add(root, f"{KITE_REPO}/package/old.py", "# return 2  # the wind_metres that was asked for\n")


def short_fix_in_the_issue(root):
    edit(root, f"{KITE_SEAL}/sealed.toml", "return 2  # the wind_metres that was asked for", "return 1 + 1.0")
    issue(root, KITE, "The winder stops early. My brother wrote `return  1+1.0` there, and it held.")


def diff_in_the_issue(root):
    issue(root, KITE, "The winder stops early, this helped me:\n@@ -1,2 +1,2 @@\n-    return 1\n+    return 2")


def commit_in_the_issue(root):
    origins(root, kite_string=("https://host/a", COMMIT))
    issue(root, KITE, f"The winder stops early. It is mended in {COMMIT[:12]}, they say.")


def id_in_capitals(root):
    (root / "cases" / "Kite-String").mkdir()


def id_in_another_unicode_form(root):
    for form in ("NFC", "NFD"):
        (root / "cases" / unicodedata.normalize(form, "fähre")).mkdir()


def link_to_the_seal(root):
    (root / KITE_REPO / "data").symlink_to("../../../sealed/kite-string/tests")


def link_to_the_corpus(root):
    (root / KITE_REPO / "data").symlink_to(root)


def link_over_two_corners(root):
    (root / "elsewhere").symlink_to("sealed")
    (root / KITE_REPO / "data").symlink_to("../../../elsewhere/kite-string")


def hard_link_to_the_seal(root):
    os.link(root / KITE_TEST, root / KITE_REPO / "tests" / "test_more.py")


def link_out_of_the_case(root):
    (root / KITE_REPO / "data").symlink_to("../../jam-labels/repo")


def file_with_two_names(root):
    add(root, "spare.py", "x = 1\n")
    os.link(root / "spare.py", root / KITE_REPO / "package" / "spare.py")


def history(root):
    add(root, f"{KITE_REPO}/.git/HEAD", "ref: refs/heads/main\n")


def sealed_test_that_reading_leaves_out(root):
    add(root, f"{KITE_REPO}/.venv/old_test.py", (root / KITE_TEST).read_text())


def bytecode_of_the_sealed_test(root):
    add(root, f"{KITE_REPO}/tests/__pycache__/test_sealed.cpython-311-pytest-9.2.0.pyc", "")


def sealed_text_in_a_comment_of_the_case(root):
    edit(root, f"{KITE}/case.toml", "[public]", f"# {canary_of('kite-string')}\n[public]")


def scope_over_tests(root):
    edit(root, f"{KITE}/case.toml", "package/**.py", "**.py")


def patch_that_does_not_apply(root):
    edit(root, f"{KITE_SEAL}/sealed.toml", 'search = "return 1"', 'search = "return one"')


def without_licence(root):
    edit(root, "corpus.toml", 'licence = "MIT"\n', "")


def licence_unknown(root):
    edit(root, "corpus.toml", '"MIT"', '"Unknown"')


def licence_in_prose(root):
    edit(root, "corpus.toml", '"MIT"', '"free for research"')


def without_origin(root):
    edit(root, "corpus.toml", 'origin = "written for these tests"\n', "")


BOTH, KITES = ("clock-hands", "kite-string"), ("kite-string",)
LEAKS = [
    (group_across_splits, {"group-across-splits"}, BOTH),
    (group_in_capitals, {"group-across-splits", "group-spelling"}, BOTH),
    (group_in_another_unicode_form, {"group-across-splits", "group-spelling"}, BOTH),
    (tree_copied, {"same-revision", "same-tests"}, BOTH),
    (tree_nearly_copied, {"near-duplicate-tree"}, BOTH),
    (tree_copied_with_other_names, {"renamed-tree"}, BOTH),
    (issue_copied, {"same-issue"}, BOTH),
    (issue_nearly_copied, {"near-duplicate-issue"}, BOTH),
    (sealed_tests_copied, {"same-tests"}, BOTH),
    (sealed_tests_nearly_copied, {"near-duplicate-tests"}, BOTH),
    (public_tests_copied, {"same-tests", "near-duplicate-tree"}, BOTH),
    (one_commit, {"same-commit"}, BOTH),
    (one_repository, {"same-repository"}, BOTH),
    (canary_in_another_case, {"canary-in-sight"}, ("kite-string", "jam-labels")),
    (canary_left_out, {"canary-missing"}, KITES),
    (canary_used_twice, {"canary-shared"}, ("jam-labels", "kite-string")),
    (sealed_assertion_in_the_readme, {"sealed-test-in-sight"}, KITES),
    (patch_line_in_a_comment, {"control-patch-in-sight"}, KITES),
    (short_fix_in_the_issue, {"fix-in-issue"}, KITES),
    (diff_in_the_issue, {"patch-in-issue"}, KITES),
    (commit_in_the_issue, {"commit-in-sight"}, KITES),
    (id_in_capitals, {"id-collision", "unreadable"}, ("Kite-String", "kite-string")),
    (
        id_in_another_unicode_form,
        {"id-collision", "unreadable"},
        ("fa\u0308hre", "f\u00e4hre"),
    ),
    (link_to_the_seal, {"sealed-reachable"}, KITES),
    (link_to_the_corpus, {"sealed-reachable"}, KITES),
    (link_over_two_corners, {"sealed-reachable"}, KITES),
    (hard_link_to_the_seal, {"sealed-reachable", "unreadable"}, KITES),
    (link_out_of_the_case, {"link-out-of-case"}, KITES),
    (file_with_two_names, {"left-out-file", "unreadable"}, KITES),
    (history, {"history-in-case"}, KITES),
    (sealed_test_that_reading_leaves_out, {"sealed-copy"}, KITES),
    (bytecode_of_the_sealed_test, {"sealed-copy"}, KITES),
    (sealed_text_in_a_comment_of_the_case, {"sealed-copy"}, KITES),
    (scope_over_tests, {"open-scope"}, KITES),
    (patch_that_does_not_apply, {"unusable-patch"}, KITES),
    (without_licence, {"licence-missing"}, ()),
    (licence_unknown, {"licence-missing"}, ()),
    (licence_in_prose, {"licence-unclear"}, ()),
    (without_origin, {"origin-missing"}, ()),
]


def test_the_corpus_that_leaks_are_planted_in_is_in_order(tmp_path):
    """Reading finds nothing before."""
    assert inspect(written(tmp_path), ingest).findings == ()


@pytest.mark.parametrize(("plant", "kinds", "case_ids"), LEAKS, ids=[plant.__name__ for plant, *_ in LEAKS])
def test_a_planted_leak_is_found_by_name_and_nothing_else_is(tmp_path, plant, kinds, case_ids):
    """The kind, the cases, and a place that is there."""
    root = written(tmp_path)
    plant(root)
    findings = inspect(root, ingest).findings
    assert kinds == {finding.kind for finding in findings}
    assert case_ids in {finding.case_ids for finding in findings}
    assert all(os.path.lexists(root / place) for finding in findings for place in finding.where)


@pytest.mark.parametrize(("plant", "kinds", "case_ids"), LEAKS, ids=[plant.__name__ for plant, *_ in LEAKS])
def test_an_experiment_on_a_planted_leak_is_refused_by_name(tmp_path, plant, kinds, case_ids):
    """Reading or freezing says the kind in one line, before anything is spent."""
    root = written(tmp_path)
    plant(root)
    with pytest.raises(Refusal) as caught:
        freeze(SPEC, read_corpus(root, ingest), "test")
    assert any(f"{kind}: " in str(caught.value) for kind in kinds)
    assert "\n" not in str(caught.value)


def test_within_one_group_of_one_split_cases_may_share_everything_but_themselves(tmp_path):
    """One group, one split: revision, commit, tests; the same case under two ids would still count twice."""
    root = written(tmp_path)
    edit(root, "corpus.toml", 'train = ["clock-hands"]', "train = []")
    edit(root, "corpus.toml", '["kite-string"]', '["clock-hands", "kite-string"]')
    group_across_splits(root)
    tree_copied(root)
    sealed_tests_copied(root)
    one_commit(root)
    assert inspect(root, ingest).findings == ()
    issue_copied(root)
    detail = "clock-hands, kite-string have the same issue and the same repository"
    where = (f"{CLOCK}/case.toml", f"{KITE}/case.toml")
    assert (Finding(kind="same-case", case_ids=BOTH, detail=detail, where=where),) == inspect(root, ingest).findings


def test_two_groups_of_one_split_may_not_share_a_revision(tmp_path):
    """The statistics would count them as two."""
    root = written(tmp_path)
    edit(root, "corpus.toml", 'train = ["clock-hands"]', "train = []")
    edit(root, "corpus.toml", '["kite-string"]', '["clock-hands", "kite-string"]')
    tree_copied(root)
    details = {finding.detail for finding in inspect(root, ingest).findings}
    assert "the same repository is in two groups: clock-hands, kite-string" in details


def test_a_link_that_stays_in_its_repository_harms_nobody(tmp_path):
    """Reading leaves it out, and it leads nowhere else."""
    root = written(tmp_path)
    (root / KITE_REPO / "latest").symlink_to("package")
    assert inspect(root, ingest).findings == ()


def test_a_corpus_that_cannot_be_read_for_another_reason_is_refused(tmp_path):
    """With no finding that explains it, there is one line."""
    with pytest.raises(Refusal, match=r"^small/corpus.toml: expected a key 'looks', got none$"):
        inspect(written(tmp_path, {"corpus.toml": CORPUS.replace("looks = 2\n", "")}), ingest)


def test_an_origin_of_no_case_is_refused(tmp_path):
    """It is probably that of a case that was renamed."""
    root = written(tmp_path)
    origins(root, lone_case=("https://host/a", COMMIT))
    with pytest.raises(Refusal, match="'origins': expected ids of cases, got 'lone-case'"):
        inspect(root, ingest)
