"""Permissions: what kind of effect a tool has, what the policy says of the kind, and one call as it is approved.

Exposure says which tools a model sees, policy what a kind of tool may do, approval what the host answers to one call.
None of the three stands for another, and none is an argument that a model fills.
"""

from collections.abc import Callable
from typing import Literal

from tasks.records.base import Record

Permission = Literal["read-only", "mutating", "execution"]
Ruling = Literal["auto", "ask", "deny"]


class PermissionPolicy(Record):
    """The ruling on each kind of tool: `auto` lets it happen, `ask` has the host decide on every call."""

    read_only: Ruling = "auto"
    mutating: Ruling = "ask"
    execution: Ruling = "ask"

    def ruling(self, permission: Permission) -> Ruling:
        """What holds for one kind."""
        rulings = {"read-only": self.read_only, "mutating": self.mutating, "execution": self.execution}
        return rulings[permission]


class ProposedCall(Record):
    """One valid call as the host decides on it; all of it is immutable values.

    `effect` is the diff that a mutating call would make, empty for other kinds. Arguments and diff are untrusted text.
    """

    tool: str
    permission: Permission
    arguments: tuple[tuple[str, str | int], ...]
    effect: str


Approver = Callable[[ProposedCall], bool]
"""The host's decision on one call. It may raise: then nothing has happened, and the exception leaves the tools."""
