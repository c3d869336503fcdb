"""Tags above a game, such as [White "Ada"]."""

import re

TAG = re.compile(r'\[(\w+)\s+"(.*)"\]')


def tags(text):
    """The text of each tag by its name; the last one counts if a name occurs twice."""
    return dict(TAG.findall(text))


def without_tags(text):
    """What remains of a game when its tags are taken out."""
    return TAG.sub("", text).strip()
