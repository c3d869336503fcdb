"""Who stands at the desk."""

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Donor:
    """A person. `rested_days` is None for somebody who never donated before."""

    age: int
    weight_kg: float
    rested_days: Optional[int] = None
