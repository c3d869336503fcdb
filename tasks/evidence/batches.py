"""Batches: plain mappings as MLflow entities, within the limits of one call.

Source   measured with MLflow 3.17: 1000 metrics and 100 params or tags a call; names take `/ . - : space` and no other
         punctuation; infinity is stored as 1.8e308, so what is not finite is left out.
"""

import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mlflow.entities import Metric, Param, RunTag

T = TypeVar("T")
_METRICS_PER_CALL = 1000
_OTHERS_PER_CALL = 100


@dataclass(frozen=True)
class Batch:
    """The keywords of one `log_batch` call."""

    metrics: Sequence["Metric"] = ()
    params: Sequence["Param"] = ()
    tags: Sequence["RunTag"] = ()


def batches(
    metrics: Mapping[str, float], params: Mapping[str, str], tags: Mapping[str, str], step: int = 0
) -> Iterator[Batch]:
    """As few calls as the limits allow; every metric has the same timestamp."""
    from mlflow.entities import Metric, Param, RunTag

    now_ms = int(time.time() * 1000)
    numbers = [Metric(named(name), value, now_ms, step) for name, value in metrics.items() if math.isfinite(value)]
    for some in zip_longest(
        _chunks(numbers, _METRICS_PER_CALL),
        _chunks([Param(named(name), value) for name, value in params.items()], _OTHERS_PER_CALL),
        _chunks([RunTag(named(name), value) for name, value in tags.items()], _OTHERS_PER_CALL),
        fillvalue=(),
    ):
        yield Batch(*some)


def unfit(metrics: Mapping[str, float]) -> list[str]:
    """Names of the metrics that have no finite value."""
    return [name for name, value in metrics.items() if not math.isfinite(value)]


def named(name: str) -> str:
    """The name with every character that MLflow refuses replaced by an underscore."""
    return re.sub(r"[^\w/.\- :]", "_", name)


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
