"""What the adapters of servers share: posting JSON, and an embedder and a completer without the form of their requests.

Owns connections, timeouts, retries and the wording of failures, the way from texts to batches and from replies to unit
rows. Knows nothing of what a server wants to be asked. Invariants: an error names the part, the host and a status,
never the body that was sent, the reply or a credential, not even in an exception it was raised from; a redirect is not
followed, since it would carry the credential elsewhere; a key is not sent in clear beyond this machine unless that was
asked for; every row returned is finite, of the known length and a unit vector, or zero for a blank text, which is never
sent. Proxies of the environment are not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import SplitResult, urlsplit

from palazzo.adapters.completion import Message, RawReply, ask
from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.model.fork_lock import ForkLock

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse

    from palazzo.ports import CompletionReply, CompletionRequest, JsonValue, Vector, Vectors


_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CHUNK = 65_536
_REASONS: Mapping[int, tuple[str, str]] = {
    400: ("refused the request", "check the model's name and its limits"),
    401: ("refused the key", "check the API key"),
    403: ("refused access", "check what the API key may do"),
    404: ("does not know the address or the model", "check the base address, and that the model is there"),
    413: ("found the request too large", "send shorter texts or smaller batches"),
    422: ("refused the request", "check the model's name and its limits"),
    429: ("has too many requests", "wait, or raise the account's limit"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a server is and how patient to be with it.

    `timeout_s` bounds one attempt from connecting to the last byte. A reply that says "later" is tried again
    `attempts` times in all, after `backoff_s`, twice that, and so on, or after what the server asks; nothing
    is waited for longer than `longest_wait_s`.
    """

    url: str
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 30.0
    attempts: int = 3
    backoff_s: float = 0.5
    longest_wait_s: float = 20.0
    key_in_clear: bool = False
    reply_limit_bytes: int = 64 * 1024 * 1024


class _Failure(NamedTuple):
    message: str
    hint: str | None
    retry: bool
    wait_s: float | None = None


class HttpJson:
    """A client of one endpoint; keeps idle connections, since opening one costs more than most replies."""

    def __init__(self, endpoint: Endpoint, *, part: str, sleep: Callable[[float], None] = time.sleep) -> None:
        """Check the address and the key; nothing is opened yet.

        Raises: InvalidInput if the address is no http(s) address, or would send the key in clear.
        """
        address = _address(endpoint)
        self._endpoint = endpoint
        self._part = part
        self._sleep = sleep
        self._secure = address.scheme == "https"
        self._host = str(address.hostname)
        self._port = address.port
        self._path = address.path.rstrip("/")
        self._idle: deque[tuple[int, HTTPConnection]] = deque()

    def post(
        self, path: str, body: object, *, timeout_s: float | None = None, attempts: int | None = None
    ) -> JsonValue:
        """Send `body` to `path` under the endpoint's address and return the reply's JSON.

        Raises: PartUnavailable.
        """
        payload = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        limit_s = timeout_s or self._endpoint.timeout_s
        tries = max(1, attempts or self._endpoint.attempts)
        number = 0
        while True:
            outcome = self._attempt(path, payload, limit_s)
            if not isinstance(outcome, _Failure):
                return cast("JsonValue", outcome[0])
            backoff_s = self._endpoint.backoff_s * 2**number
            wait_s = backoff_s if outcome.wait_s is None else outcome.wait_s
            number += 1
            if not outcome.retry or number == tries or wait_s > self._endpoint.longest_wait_s:
                raise PartUnavailable(outcome.message, part=self._part, hint=outcome.hint)
            self._sleep(wait_s)

    def close(self) -> None:
        """Close idle connections; the client stays usable."""
        while self._idle:
            self._idle.pop()[1].close()

    def _attempt(self, path: str, payload: bytes, limit_s: float) -> tuple[object] | _Failure:
        connection = self._reuse()
        if connection is not None:
            outcome = self._exchange(connection, path, payload, limit_s)
            if outcome is not None:
                return outcome
        # None: the server had closed the idle connection. Every request here can be sent twice without harm.
        outcome = self._exchange(self._connect(limit_s), path, payload, limit_s)
        return outcome if outcome is not None else self._unreachable("closed the connection")

    def _exchange(
        self, connection: HTTPConnection, path: str, payload: bytes, limit_s: float
    ) -> tuple[object] | _Failure | None:
        from http.client import HTTPException, RemoteDisconnected

        deadline = time.monotonic() + limit_s
        keep = False
        try:
            connection.timeout = limit_s
            if connection.sock is not None:
                connection.sock.settimeout(limit_s)
            connection.request("POST", self._path + path, body=payload, headers=self._headers())
            response = connection.getresponse()
            data = self._read(connection, response, deadline)
            keep = not response.will_close
        except (RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            return None
        except TimeoutError:
            return self._unreachable(f"did not answer within {limit_s:g} s")
        except (OSError, HTTPException, UnicodeError) as error:
            return self._unreachable(f"cannot be reached ({type(error).__name__})")
        finally:
            if keep:
                self._idle.append((os.getpid(), connection))
            else:
                connection.close()
        if data is None:
            return _Failure(f"{self._where} sent a reply that is too large", None, retry=False)
        if response.status != 200:
            return self._refused(response)
        try:
            return (json.loads(data),)
        except (ValueError, RecursionError):
            # Returned, not raised: the parser's error holds the reply and must not be attached to ours.
            return _Failure(f"{self._where} sent a reply that is not JSON", "check the base address", retry=False)

    def _read(self, connection: HTTPConnection, response: HTTPResponse, deadline: float) -> bytes | None:
        chunks: list[bytes] = []
        size = 0
        while chunk := response.read1(_CHUNK):
            size += len(chunk)
            if size > self._endpoint.reply_limit_bytes:
                return None
            chunks.append(chunk)
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            if connection.sock is not None:
                connection.sock.settimeout(left_s)
        if response.length:
            raise ConnectionResetError
        # read1 does not note that the end was reached; without this the connection would refuse its next request.
        response.close()
        return b"".join(chunks)

    def _refused(self, response: HTTPResponse) -> _Failure:
        words, hint = _REASONS.get(response.status, ("failed", None))
        return _Failure(
            f"{self._where} {words} (status {response.status})",
            hint,
            retry=response.status in _RETRIED,
            wait_s=_seconds(response.getheader("Retry-After")),
        )

    def _unreachable(self, what: str) -> _Failure:
        return _Failure(f"{self._where} {what}", "check that the server is running", retry=True)

    @property
    def _where(self) -> str:
        return f"the server at {self._host}"

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "palazzo"}
        if self._endpoint.key:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        return {**headers, **self._endpoint.headers}

    def _reuse(self) -> HTTPConnection | None:
        pid = os.getpid()
        while self._idle:
            owner, connection = self._idle.pop()
            # A connection made before a fork is shared with the parent: two writers would mix their requests.
            # Closing it here closes this process's end of it only.
            if owner == pid:
                return connection
            connection.close()
        return None

    def _connect(self, limit_s: float) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._secure else HTTPConnection
        return kind(self._host, self._port, timeout=limit_s)


def _address(endpoint: Endpoint) -> SplitResult:
    """The parts of an address that may be used with this key.

    Raises: InvalidInput.
    """
    try:
        split = urlsplit(endpoint.url)
        usable = split.scheme in ("http", "https") and bool(split.hostname) and split.port != 0
    except ValueError:
        usable = False
    if not usable or split.query or split.fragment:
        raise InvalidInput("the address must look like https://host/path", field="url")
    if split.username is not None or split.password is not None:
        raise InvalidInput("give the key as a setting, not inside the address", field="url")
    for value in (endpoint.key, *endpoint.headers.values()):
        # http.client would repeat a value it cannot send in its error.
        if not (value.isascii() and value.isprintable()):
            raise InvalidInput("a key or header holds a line break or a character beyond ASCII", field="key")
    exposed = split.scheme == "http" and split.hostname not in _LOOPBACK
    if endpoint.key and exposed and not endpoint.key_in_clear:
        raise InvalidInput(
            f"the key would cross the network in clear to {split.hostname}",
            field="url",
            hint="use https, or allow it for this endpoint",
        )
    return split


def _seconds(header: str | None) -> float | None:
    """A Retry-After in seconds; the form with a date is not used by these servers and counts as none."""
    try:
        value = float(header) if header else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None


_PROBE = "dimensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model on a server.

    `dimensions` None means: ask on first use. Prompts are put in front of what is sent, for models trained
    with them. A query waits `query_timeout_s` at most and is tried once, since recall goes on without it.
    """

    model: str
    dimensions: int | None = None
    batch_size: int = 64
    text_prompt: str = field(default="", repr=False)
    query_prompt: str = field(default="", repr=False)
    query_timeout_s: float = 5.0

    def space(self, *, sized: bool) -> str:
        """What tells these vectors from others: name, prompts, and length where it can be chosen."""
        size = f"-{self.dimensions}" if sized and self.dimensions is not None else ""
        prompts = f"{self.text_prompt}\0{self.query_prompt}"
        mark = f"+{hashlib.sha256(prompts.encode()).hexdigest()[:6]}" if len(prompts) > 1 else ""
        return f"{self.model}{size}{mark}"


class RemoteEmbedder(ABC):
    """An embedder on a server: what every one of them shares, but the form of request and reply."""

    def __init__(
        self, endpoint: Endpoint, model: RemoteModel, *, part: str, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Remember where the model is; nothing is sent yet.

        Raises: InvalidInput if the address is not usable.
        """
        self._model = model
        self._part = part
        self._http = HttpJson(endpoint, part=part, sleep=sleep)
        self._dimensions = model.dimensions
        self._lock = ForkLock()

    @abstractmethod
    def _send(self, texts: list[str], *, is_query: bool) -> list[JsonValue]:
        """One list of numbers per text, in order."""

    def close(self) -> None:
        """Close idle connections."""
        self._http.close()

    def _post(self, path: str, body: Mapping[str, object], *, is_query: bool) -> JsonValue:
        """The reply to one batch; a query is asked once and waits shortly."""
        return self._http.post(
            path,
            body,
            timeout_s=self._model.query_timeout_s if is_query else None,
            attempts=1 if is_query else None,
        )

    @property
    def dimensions(self) -> int:
        """Length of the vectors; a server that was not asked yet is asked now.

        Raises: PartUnavailable.
        """
        known = self._dimensions
        return known if known is not None else int(self._request([_PROBE], is_query=False).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text; a blank one is zero and is never sent.

        Raises: PartUnavailable.
        """
        import numpy as np

        kept = [position for position, text in enumerate(texts) if text and not text.isspace()]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(kept), self._model.batch_size):
            positions = kept[start : start + self._model.batch_size]
            batch = [self._model.text_prompt + texts[position] for position in positions]
            rows[positions] = self._request(batch, is_query=False)
        return rows

    def embed_query(self, text: str) -> Vector:
        """A unit vector, or a prompt failure: one attempt, a short wait.

        Raises: PartUnavailable.
        """
        import numpy as np

        if not text or text.isspace():
            return np.zeros(self.dimensions, dtype=np.float32)
        row: Vector = self._request([self._model.query_prompt + text], is_query=True)[0]
        return row

    def _request(self, texts: list[str], *, is_query: bool) -> Vectors:
        import numpy as np

        vectors = self._send(texts, is_query=is_query)
        if len(vectors) != len(texts):
            raise self._unfit(f"{len(vectors)} vectors for {len(texts)} texts")
        try:
            rows = np.array(vectors, dtype=np.float32)
        except (TypeError, ValueError):
            raise self._unfit("something other than lists of numbers of one length") from None
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise self._unfit("something other than lists of numbers of one length")
        self._agree(rows.shape[1])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unfit("a vector without a direction")
        unit: Vectors = rows / lengths
        return unit

    def _agree(self, found: int) -> None:
        """Remember the length of the first reply, and hold later ones to it: a space has one."""
        with self._lock:
            if self._dimensions is None:
                self._dimensions = found
            expected = self._dimensions
        if found != expected:
            raise self._unfit(f"vectors of {found} dimensions instead of {expected}")

    def _unfit(self, what: str) -> PartUnavailable:
        return PartUnavailable(
            f"the server answered with {what}", part=self._part, hint="check which model the server runs"
        )


class RemoteCompleter(ABC):
    """A language model on a server: what every one of them shares, but the form of request and reply."""

    def __init__(
        self, endpoint: Endpoint, *, part: str, attempts: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Remember where the model is; nothing is sent yet.

        Raises: InvalidInput if the address is not usable.
        """
        self._part = part
        self._attempts = attempts
        self._http = HttpJson(endpoint, part=part, sleep=sleep)

    @abstractmethod
    def _send(self, request: CompletionRequest, messages: list[Message]) -> RawReply:
        """What the server answers to the conversation so far."""

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """A reply that fits the request's schema.

        Raises: PartUnavailable, InvalidInput.
        """
        return ask(request, lambda messages: self._send(request, messages), part=self._part, attempts=self._attempts)

    def close(self) -> None:
        """Close idle connections."""
        self._http.close()
