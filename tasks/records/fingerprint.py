"""Fingerprints: sha256 over RFC 8785 canonical JSON.

rfc8785 gives 1 and 1.0, and a tuple and a list, the same bytes; record types fix which is meant. It refuses NaN,
infinities, integers beyond 2**53 - 1, lone surrogates and bytes: those never reach a fingerprint.
"""

import hashlib

import rfc8785


class Unfit(ValueError):
    """A value that has no canonical JSON form."""


def canonical(body: object) -> bytes:
    """The one byte string that stands for `body`.

    Raises Unfit for NaN, infinity, an integer beyond 2**53 - 1, a lone surrogate, bytes, or a key that is no string.
    """
    try:
        content: bytes = rfc8785.dumps(body)
    except ValueError as error:  # rfc8785.CanonicalizationError is one; so is UnicodeEncodeError
        raise Unfit(f"no canonical JSON for {type(body).__name__}: {error}") from error
    return content


def sha256(content: bytes) -> str:
    """64 lower-case hex digits."""
    return hashlib.sha256(content).hexdigest()


def fingerprint(body: object) -> str:
    """sha256 of the canonical JSON of `body`; 64 lower-case hex digits."""
    return sha256(canonical(body))
