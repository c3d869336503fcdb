"""Linear loans in integer cents."""

from instalments.schedule import Instalment, repayment_schedule

__all__ = ["Instalment", "repayment_schedule"]
