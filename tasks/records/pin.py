"""Pins: requirements that name one version of one distribution, and nothing else."""

import re

# Names and versions as PEP 508 and PEP 440 spell them.
NAME = r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?"
VERSION = (
    r"(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?"
)
PIN = re.compile(f"({NAME})==({VERSION})", re.IGNORECASE | re.ASCII)


def canonical(name: str) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def clean_pin(text: str) -> str:
    """`name==version` with a canonical name.

    Raises ValueError for anything else: a URL, a path, an option, a marker, an extra, a range, no version.
    """
    match = PIN.fullmatch(text)
    if match is None:
        raise ValueError("one exact version such as 'attrs==24.2.0'")
    return f"{canonical(match[1])}=={match[2]}"


def split_pin(pin: str) -> tuple[str, str]:
    """Name and version of a clean pin."""
    name, _, version = pin.partition("==")
    return name, version
