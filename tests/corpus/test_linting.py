"""Linting: a corpus in order has no findings, and each kind of leak has one."""

from tasks.corpus.finding import Finding
from tasks.corpus.linting import lint
from tests.corpus.making import CORPUS, canary_of, files, small

KITE, CLOCK = "cases/kite-string/case.toml", "cases/clock-hands/case.toml"
KITE_SEAL = "sealed/kite-string/sealed.toml"
KITES = "'kite-string'"


def lines(folder, spoilt):
    """What is said of a spoilt corpus."""
    return [finding.line for finding in lint(small(folder, spoilt))]


def edited(path, old, new):
    """One file of the small corpus with a text replaced."""
    text = files()[path]
    assert old in text, old
    return {path: text.replace(old, new)}


def test_a_corpus_in_order_has_no_findings(tmp_path):
    """The starting point of every other test here."""
    assert lint(small(tmp_path)) == ()


def test_a_group_in_two_splits_is_found(tmp_path):
    """Cases of one incident must not be on both sides of a boundary; the finding says which, and where."""
    spoilt = edited(KITE, "kite-string-group", "clock-hands-group")
    found = Finding(
        kind="group-across-splits",
        case_ids=("clock-hands", "kite-string"),
        detail="group 'clock-hands-group' is in two splits: clock-hands, kite-string",
        where=(CLOCK, KITE),
    )
    assert (found,) == lint(small(tmp_path, spoilt))


def test_a_group_within_one_split_is_fine(tmp_path):
    """That is what groups are for."""
    spoilt = edited(KITE, "kite-string-group", "jam-labels-group")
    corpus = CORPUS.replace('dev = ["jam-labels"]', "dev = []").replace(
        '["kite-string"]', '["kite-string", "jam-labels"]'
    )
    assert lint(small(tmp_path, {**spoilt, "corpus.toml": corpus})) == ()


def test_one_repository_in_two_splits_is_found(tmp_path):
    """Equal content is found under any group."""
    copied = {path: None for path in files() if path.startswith("cases/kite-string/repo/")}
    copied |= {
        path.replace("clock-hands", "kite-string"): text for path, text in files().items() if "hands/repo" in path
    }
    copied |= {KITE_SEAL: files()[KITE_SEAL].replace("wind_metres", "hand_angle")}
    assert "same-revision: the same repository is in two splits: clock-hands, kite-string" in lines(tmp_path, copied)


def test_a_near_duplicate_issue_in_two_splits_is_found(tmp_path):
    """Three words at the end of a copied issue do not hide it: 12 runs of 15 are shared."""
    issue = "When the short hand stands at twelve the long one lags behind by a whole minute."
    spoilt = edited(KITE, files()[KITE].split("'''")[1], f"\n{issue} Please help me.\n")
    said = "near-duplicate-issue: 'clock-hands' and 'kite-string' are in two splits, likeness 0.80"
    assert [said] == lines(tmp_path, spoilt)


def test_a_sealed_file_without_its_canary_is_found(tmp_path):
    """Data files need it as much as tests do."""
    spoilt = {"sealed/kite-string/tests/tests/data.csv": "1;2\n"}
    said = "canary-missing: sealed file 'tests/data.csv' of 'kite-string' is without its canary"
    assert [said] == lines(tmp_path, spoilt)


def test_a_canary_in_sight_is_found_in_any_case(tmp_path):
    """In the issue of another case, for instance."""
    spoilt = edited(CLOCK, "whole minute.", f"whole minute. {canary_of('kite-string')}")
    assert lines(tmp_path, spoilt) == ["canary-in-sight: the canary of 'kite-string' is in sight in 'clock-hands'"]


def test_a_canary_that_is_used_twice_is_found(tmp_path):
    """It could not tell which seal was broken."""
    jam, kite = canary_of("jam-labels"), canary_of("kite-string")
    paths = [path for path in files() if path.startswith("sealed/kite-string/")]
    spoilt = {path: files()[path].replace(kite, jam) for path in paths}
    assert lines(tmp_path, spoilt) == ["canary-shared: jam-labels, kite-string have one canary"]


def test_a_sealed_assertion_in_sight_is_found(tmp_path):
    """However it is spaced, and in whichever file."""
    spoilt = {"cases/kite-string/repo/README.md": "Note: assert wind_metres() +  wind_metres()\n  == 4 held once.\n"}
    (said,) = lines(tmp_path, spoilt)
    assert said.startswith(
        "sealed-test-in-sight: a line of the sealed test of 'kite-string' is in sight in 'kite-string'"
    )
    assert said.endswith(": 'assert wind_metres() + wind_metres() == 4'")


def test_a_line_of_the_control_patch_in_sight_is_found(tmp_path):
    """The issue must not carry the solution."""
    line = "return 2 # the wind_metres that was asked for"
    spoilt = edited(KITE, "wet grass.", f"wet grass. Try `{line}`.")
    in_sight, in_issue = lines(tmp_path, spoilt)
    assert (
        in_sight == f"control-patch-in-sight: a line of the control patch of {KITES} is in sight in {KITES}: '{line}'"
    )
    assert in_issue == f"fix-in-issue: the issue of {KITES} has a line of its control patch: '{line}'"


def test_a_scope_that_allows_tests_is_found(tmp_path):
    """Tests that exist, sealed ones to come, and what configures pytest."""
    found = lines(tmp_path, edited(KITE, '"package/**.py"', '"**.py"'))
    allowed = ["conftest.py", "tests/conftest.py", "tests/test_new.py", "tests/test_public.py", "tests/test_sealed.py"]
    assert [f"open-scope: scope of 'kite-string' allows '{path}'" for path in allowed] == found


def test_a_scope_may_name_configuration_but_not_a_test_that_judges(tmp_path):
    """A case can be about its configuration, said in full; a public or sealed test file stays closed."""
    named = '"package/**.py", "pyproject.toml", "tests/test_public.py", "tests/test_sealed.py"'
    found = lines(tmp_path, edited(KITE, '"package/**.py"', named))
    closed = ["tests/test_public.py", "tests/test_sealed.py"]
    assert [f"open-scope: scope of 'kite-string' allows '{path}'" for path in closed] == found


def test_a_patch_that_cannot_be_applied_is_found(tmp_path):
    """The search text has to be there exactly once."""
    said = "unusable-patch: patch 'control' of 'kite-string' does not apply at 'package/wind_metres.py'"
    assert [said] == lines(tmp_path, edited(KITE_SEAL, 'search = "return 1"', 'search = "return one"'))


def test_a_patch_out_of_scope_is_found(tmp_path):
    """A control patch that no candidate could have written proves nothing."""
    spoilt = edited(KITE, '["package/**.py"]', '["package/other/**.py"]')
    said = "of 'kite-string' is out of scope at 'package/wind_metres.py'"
    assert lines(tmp_path, spoilt) == [f"unusable-patch: patch '{name}' {said}" for name in ("control", "three")]


def test_edits_that_create_and_delete_are_understood(tmp_path):
    """A file may be made where none is and taken away where one is."""
    create = '[[control.edits]]\npath = "package/new.py"\naction = "create"\nreplace = "x = 1"\n'
    delete = '[[control.edits]]\npath = "package/new.py"\naction = "delete"\n'
    spoilt = edited(KITE_SEAL, "[[wrong]]", create + delete + "[[wrong]]")
    assert lint(small(tmp_path / "in-order", spoilt)) == ()
    spoilt = edited(KITE_SEAL, "[[wrong]]", delete + "[[wrong]]")
    found = lines(tmp_path / "too-early", spoilt)
    assert found == ["unusable-patch: patch 'control' of 'kite-string' does not apply at 'package/new.py'"]
