"""Reading: the text of a file as a tool shows it, and the one spelling in which texts are compared.

Takes    a file of a tree, in any encoding.
Gives    text without an escape sequence or any other control character; undecodable bytes are U+FFFD.
Refuses  nothing; `is_text` says what is worth showing: no NUL among the first 8,192 bytes, at most 256,000 bytes.
"""

import re
import unicodedata

from tasks.records.tools import LIMITS
from tasks.records.tree import SourceFile

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
CONTROL_BYTES = bytes([*range(9), *range(0x0B, 0x20), 0x7F])


def is_text(file: SourceFile, max_bytes: int = LIMITS.max_file_bytes) -> bool:
    return len(file.content) <= max_bytes and b"\0" not in file.content[:8_192]


def readable(file: SourceFile) -> str:
    """The text with LF line ends; no line of a repository can move a cursor."""
    text = file.text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\r")
    return UNPRINTABLE.sub("\ufffd", text)


def lines_of(file: SourceFile) -> list[str]:
    """Lines as Python and git count them, without their ends."""
    lines = readable(file).split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def folded(text: str) -> str:
    """Case and canonical spelling (NFC or NFD) do not count; a line stays one line, its length may change."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def folded_bytes(file: SourceFile) -> bytes:
    """The folded text in UTF-8. Most files are plain ASCII, for which this is some ten times as fast."""
    if file.content.isascii():
        plain = file.content.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if len(plain.translate(None, CONTROL_BYTES)) == len(plain):
            return plain.lower()
    return folded(readable(file)).encode()
