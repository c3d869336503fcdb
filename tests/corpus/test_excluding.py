"""Excluding: a spec keeps more out of every case, and what it keeps out is frozen."""

from pathlib import Path

from flows.opening import corpus_of
from tasks.freeze import freeze, read_spec
from tests.corpus.making import written

PILOT = Path(__file__).resolve().parents[2] / "manifests" / "pilot.toml"


def spec_of(folder, exclude):
    """The pilot's spec for the small corpus, with these patterns."""
    root = written(folder, {"cases/kite-string/repo/notes.csv": "wind;metres\n"})
    text = PILOT.read_text().replace('"../datasets/pilot"', f'"{root.name}"')
    assert text.count("exclude = []") == 1
    path = folder / "spec.toml"
    path.write_text(text.replace("exclude = []", f"exclude = {exclude}"))
    return read_spec(path), path


def test_what_a_spec_excludes_is_in_no_case_and_in_the_manifest(tmp_path):
    """The pattern stands there beside the table's fingerprint, and the case is another one without the file."""
    manifests = []
    for exclude, files in ((["*.CSV"], 2), ([], 3)):
        spec, path = spec_of(tmp_path, exclude)
        corpus = corpus_of(spec, path)
        assert len(corpus.case("kite-string").repo.files) == files
        manifests.append(freeze(spec, corpus, "test"))
    excluded, whole = manifests
    assert (excluded.snapshot_rules.exclude, whole.snapshot_rules.exclude) == (("*.CSV",), ())
    assert (excluded.snapshot_rules.max_file_bytes, len(excluded.snapshot_rules.table)) == (256_000, 64)
    changed = {each for each, name in whole.case_revisions.items() if excluded.case_revisions[each] != name}
    assert changed == {"kite-string"}
