"""Keys out of texts: providers echo them in errors, and a text may end in a ledger, a log or on a screen.

Covered      the value of every environment variable whose name says that it is secret, and what looks like a key.
Not covered  a secret of fewer than eight characters; one that a provider sends back in another encoding.
"""

import os
import re

SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(_\w+)?$", re.IGNORECASE)
_LOOKS_LIKE_ONE = re.compile(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}|\bBearer\s+\S+|(?<=://)[^/@\s]+(?=@)", re.IGNORECASE)
SHORTEST = 8
SHORTEST_IN_REPLIES = 16  # an ordinary word must not vanish from a model's own text
HIDDEN = "[hidden]"


def scrubbed(text: str) -> str:
    """The text without keys."""
    return _LOOKS_LIKE_ONE.sub(HIDDEN, without_known(text, SHORTEST))


def without_known(text: str, shortest: int = SHORTEST_IN_REPLIES) -> str:
    """The text without the keys of this environment; all else untouched."""
    values = {value for name, value in os.environ.items() if SECRET_NAME.search(name) and len(value) >= shortest}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text
