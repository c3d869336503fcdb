"""Approval: whether one valid call happens. The policy rules on its kind, and where it says `ask`, the host decides.

Takes    a policy, the host's callable, and one proposed call.
Gives    the reason why the call does not happen; None if it does.
Refuses  to guess: `ask` with nobody to ask denies; an answer that is no bool is the host's bug (TypeError), because
         "no" is true in Python; an exception of the host's propagates, before anything has happened.
Covered  the host gets a copy: whatever it does to it, what happens is what was prepared.
"""

from tasks.records.permissions import Approver, Permission, PermissionPolicy, ProposedCall


class Gate:
    """Policy and approval of one set of tools."""

    def __init__(self, policy: PermissionPolicy, approve: Approver | None) -> None:
        self.policy, self._approve = policy, approve

    def closed(self, permission: Permission) -> str | None:
        """Why no call of this kind can happen, whatever it says."""
        ruling = self.policy.ruling(permission)
        if ruling == "deny":
            return f"denied: the policy allows no {permission} tools here; nothing was done"
        if ruling == "ask" and self._approve is None:
            return f"denied: {permission} tools need approval, and nobody is there to give it; nothing was done"
        return None

    def refusal(self, proposed: ProposedCall) -> str | None:
        """Why this one does not happen; the host is asked where the policy says so."""
        if (reason := self.closed(proposed.permission)) or self.policy.ruling(proposed.permission) == "auto":
            return reason
        answer = self._approve(proposed.model_copy()) if self._approve else False
        if type(answer) is not bool:
            raise TypeError(f"approval of {proposed.tool!r}: expected a bool from the host, got {type(answer)!r}")
        return None if answer else "denied by the host; nothing was done"
