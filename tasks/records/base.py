"""The base of every record: frozen, closed to unknown fields, named by the hash of its body."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from tasks.records.fingerprint import fingerprint


class Record(BaseModel):
    """A noun of fact. Two records with equal bodies have equal fingerprints; times, costs and hosts live elsewhere."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64", ignored_types=(cached_property,)
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy that finds out its own name; pydantic hands on the cached one of the record that it differs from."""
        copied = super().model_copy(update=update, deep=deep)
        for cached in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[cached]
        return copied

    def body(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return self.model_dump(mode="json")

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the canonical body; 64 hex digits."""
        return fingerprint({"record": type(self).__name__, "body": self.body()})
