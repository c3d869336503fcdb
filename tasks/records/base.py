"""The base of every record: frozen, closed to unknown fields, named by the hash of its body."""

from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict

from tasks.records.fingerprint import fingerprint


class Record(BaseModel):
    """A noun of fact. Two records with equal bodies have equal fingerprints; times, costs and hosts live elsewhere."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", ignored_types=(cached_property,)
    )

    def body(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return self.model_dump(mode="json")

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the canonical body; 64 hex digits."""
        return fingerprint({"record": type(self).__name__, "body": self.body()})
