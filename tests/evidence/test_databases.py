"""A database that another version wrote is refused by name, a file that is none is damage."""

import sqlite3

import pytest

from tasks.evidence.databases import refuse_other_version
from tasks.evidence.looks import LookLedger
from tasks.records.errors import Damaged, Refusal


def test_what_is_not_there_yet_is_of_any_version(tmp_path):
    """Neither a missing file nor an empty database is refused."""
    refuse_other_version(tmp_path / "none.sqlite", 1)
    sqlite3.connect(tmp_path / "empty.sqlite").close()
    refuse_other_version(tmp_path / "empty.sqlite", 1)


def test_tables_of_another_version_are_refused_with_both_numbers(tmp_path):
    """The holdout ledger of a later version is not read with this one's eyes."""
    path = tmp_path / "looks.sqlite"
    LookLedger(path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 7")
    with pytest.raises(Refusal, match="version 7, expected 1"):
        LookLedger(path)


def test_a_file_that_is_no_database_is_damage(tmp_path):
    """Text under a database's name."""
    path = tmp_path / "ledger.sqlite"
    path.write_text("once upon a time " * 100)
    with pytest.raises(Damaged, match=r"ledger\.sqlite"):
        refuse_other_version(path, 1)
