"""Whose fault it was: errors of libraries and of the machine, told apart for a person.

A full disk, a read-only home, or a server that went away stop a run that the same command picks up again; a database
file that is none is damage. Everything else is ours.
"""

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from tasks.records.errors import Damaged, ProveoutError, Stopped

INTERRUPTED = 130
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG}
FULL = ("database or disk is full", "readonly database", "disk i/o error", "unable to open database file")
BROKEN = ("file is not a database", "database disk image is malformed")


def told(error: BaseException) -> ProveoutError | None:
    """The one line and exit status that a person gets for this error; None when the fault is ours."""
    for cause in causes(error):
        if isinstance(cause, ProveoutError):
            return cause
        if found := _of_the_disk(cause) or _of_a_database(cause) or _of_prefect(cause):
            return found
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what caused it, and so on."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)


def _of_the_disk(error: BaseException) -> ProveoutError | None:
    if isinstance(error, OSError) and error.errno in DISK:
        where = f" {str(error.filename)!r}" if error.filename else ""
        return Stopped(f"cannot write{where}: {error.strerror}; make room and run the same again")
    return None


def _of_a_database(error: BaseException) -> ProveoutError | None:
    if type(error).__module__.partition(".")[0] not in {"sqlite3", "sqlalchemy"}:
        return None
    text = str(error).casefold()
    if any(words in text for words in FULL):
        return Stopped(f"cannot write a database: {_first_line(error)}; make room and run the same again")
    if any(words in text for words in BROKEN):
        return Damaged(f"a database of the state folder is damaged: {_first_line(error)}")
    return None


def _of_prefect(error: BaseException) -> ProveoutError | None:
    ours = type(error).__module__.partition(".")[0] in {"httpx", "httpcore", "prefect", "websockets"}
    if ours or "Failed to reach API" in str(error):
        url = os.environ.get("PREFECT_API_URL", "the embedded server")
        return Stopped(f"Prefect at {url} went away or refused: {_first_line(error)}; run the same again")
    return None


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]


@contextmanager
def one_line() -> Iterator[None]:
    """Whatever is refused or stopped becomes one line on stderr and its exit status; never a traceback."""
    try:
        yield
    except (KeyboardInterrupt, typer.Abort) as interrupt:
        sys.stderr.write("proveout: interrupted; the same command goes on from here\n")
        raise SystemExit(INTERRUPTED) from interrupt
    except BrokenPipeError as gone:  # the reader of stdout has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from gone
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # a usage error; typer's copy of click is private
            error.show()
            raise SystemExit(error.exit_code) from error
        known = told(error)
        line = " ".join(str(known).split()) if known else _unknown(error)
        sys.stderr.write(f"proveout: {line}\n")
        raise SystemExit(known.exit_status if known else 1) from error


def _unknown(error: Exception) -> str:
    """Our own fault, with its traceback in a file of its own for a report."""
    with tempfile.NamedTemporaryFile("w", prefix="proveout-fault-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    return f"our fault: {type(error).__name__}: {_first_line(error)}; traceback in {file.name}"
