"""Refusals and stops, grouped by whose fault it is. Each carries one line for a person and an exit status."""


class ProveoutError(Exception):
    """Anything that ends a command without a traceback."""

    exit_status = 1


# The caller's: input that cannot be run.


class Refusal(ProveoutError):
    """Input was refused before anything was spent; names the offender, what was expected, what was got."""

    exit_status = 2


class SandboxUnavailable(Refusal):
    """No isolation that this machine can enforce was found."""


class HarnessUnproven(Refusal):
    """A control did not come out as it must, so nothing that the harness says can be believed."""


class LookRefused(Refusal):
    """The holdout ledger allows no further look at this holdout."""


# The world's: the run stops without a verdict and the same command picks it up again.


class Stopped(ProveoutError):
    """A provider, a budget or an operator stopped the run; nothing already done is lost."""

    exit_status = 5


class ProviderTrouble(Stopped):
    """The language model's provider did not answer usably within the declared patience."""


class BudgetSpent(Stopped):
    """The declared budget is spent."""


class Underpowered(Stopped):
    """The design cannot detect the effect that it declares; the same command goes on with --anyway only."""

    exit_status = 6


class SandboxTrouble(Stopped):
    """The sandbox itself broke; the code under test is not to blame."""


class EnvironmentMissing(Stopped):
    """A case's requirements cannot be had here: the index does not answer, or has no such wheel, or they conflict."""


# Ours.


class Damaged(ProveoutError):
    """A stored object no longer hashes to its name, or a harness invariant does not hold."""
