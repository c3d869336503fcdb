"""One exchange with a provider's server, watched below every library: what was really answered, and how it broke.

Takes    an HTTP request that LiteLLM or a client of a provider makes.
Gives    the answer, read to its end; and, in the Exchange of the moment, its status, its body and its trouble.
Refuses  (as trouble of the provider) a body over 4 MiB, a body that takes longer than the request's time limit, an
         answer that is not UTF-8 or no JSON object, an encoding that was not asked for, a redirection.
Covered      memory: 4 MiB of plain text, at most about 64 MiB while one compressed chunk unfolds. Proxies that the
             environment names are used.
Not covered  headers that drip slower than they should; providers that LiteLLM reaches without httpx (Bedrock, Vertex).
"""

import json
import time
from contextvars import ContextVar
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

MAX_REPLY_BYTES = 4 << 20
_RESENT = {"content-encoding", "content-length", "transfer-encoding"}


@dataclass
class Exchange:
    """What was seen; `broke` is empty while nothing did, `unreachable` means that no connection came about."""

    limit_seconds: float = 600.0
    status: int | None = None
    after_seconds: float | None = None
    body: bytes = b""
    broke: str = ""
    unreachable: bool = False


EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


class Unusable(httpx.TransportError):
    """An answer that nobody should read any further."""


class Watched(httpx.BaseTransport):
    """A transport around an ordinary client, which knows about proxies and certificates."""

    def __init__(self) -> None:
        self._inner = httpx.Client(follow_redirects=False, timeout=None)  # noqa: S113 - each request brings its own

    def client(self) -> httpx.Client:
        """A client whose every request passes here."""
        return httpx.Client(transport=self, follow_redirects=False)

    def close(self) -> None:
        self._inner.close()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        seen = EXCHANGE.get() or Exchange()
        try:
            return self._answer(request, seen)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            seen.broke, seen.unreachable = f"no connection: {_reason(error)}", True
            raise
        except httpx.TimeoutException:
            seen.broke = f"no answer within {seen.limit_seconds:g} s"
            raise
        except Unusable as error:
            seen.broke = str(error)
            raise
        except httpx.RequestError as error:
            seen.broke = f"the connection broke: {_reason(error)}"
            raise

    def _answer(self, request: httpx.Request, seen: Exchange) -> httpx.Response:
        deadline = time.monotonic() + seen.limit_seconds
        request.headers["Accept-Encoding"] = "gzip"
        response = self._inner.send(request, stream=True)
        try:
            seen.status, seen.after_seconds = response.status_code, after_seconds(response.headers)
            seen.body = _read(response, deadline)
        finally:
            response.close()
        if response.status_code == httpx.codes.OK:
            _refuse_unreadable(seen.body)
        headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in _RESENT]
        return httpx.Response(response.status_code, headers=headers, content=seen.body, request=request)


def _read(response: httpx.Response, deadline: float) -> bytes:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip", ""}:
        raise Unusable(f"an answer in the encoding {encoding!r:.40}, which was not asked for")
    parts, size = [], 0
    for part in response.iter_bytes():  # as it arrives: a chunk size would wait until one is full
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES:
            raise Unusable(f"an answer of more than {MAX_REPLY_BYTES} bytes")
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer drips")
    return b"".join(parts)


def _refuse_unreadable(body: bytes) -> None:
    try:
        found = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Unusable("an answer that is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise Unusable("an answer that is no JSON") from error
    if not isinstance(found, dict):
        raise Unusable(f"an answer that is a JSON {type(found).__name__}, not an object")


def after_seconds(headers: Any) -> float | None:
    """Retry-After, in seconds or as a date; None when there is none, or nonsense."""
    written = headers.get("retry-after", "").strip()
    try:
        seconds = float(written)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(written).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None


def _reason(error: httpx.RequestError) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:160]
