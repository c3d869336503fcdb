"""Reading word lists."""

from pathlib import Path

FOLDER = Path(__file__).with_name("words")


def languages():
    """Names of all languages that there is a list for."""
    return sorted(path.stem for path in FOLDER.glob("*.csv"))


def pairs(language):
    """(word, meaning) for each line of a list. Raises LookupError if there is no such list."""
    if language not in languages():
        raise LookupError(f"no words for {language}")
    text = (FOLDER / f"{language}.csv").read_text(encoding="utf-8")
    return [tuple(line.split(";", 1)) for line in text.splitlines() if line]
