"""The working store in Redis or Valkey: what processes on many machines share of one palace and may lose.

Owns the keys (`palazzo:{palace}:...`), the two scripts that count, and what happens while the server cannot be reached:
this process counts and keeps for itself, tries again after a second, and forgets what it kept when the server is back.
Knows nothing of what is kept. Invariants: a call takes half a second at most, also when the server hangs; a value that
this palace did not write under this key is not there; in a palace with a key every value is sealed.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

from palazzo.adapters.working import LocalWorking
from palazzo.errors import InvalidInput, WrongKey
from palazzo.files import extras
from palazzo.files.forks import Lazy
from palazzo.ports import FieldCipher

if TYPE_CHECKING:
    import redis

PATIENCE_S: Final = 0.5
AGAIN_S: Final = 1.0
"""How long a server that could not be reached is left alone."""
_MARK_BYTES: Final = 16
_TAKE: Final = """
local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count >= most then
  local first = redis.call('ZRANGE', KEYS[1], count - most, count - most, 'WITHSCORES')
  return math.max(tonumber(first[2]) + window - now, 1)
end
redis.call('ZADD', KEYS[1], now, ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 0
"""
_COUNT: Final = """
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
"""
T = TypeVar("T")


class RedisWorking:
    """The working store of one palace on a server. Threads share it, and a fork makes connections of its own."""

    shared = True

    def __init__(self, url: str, palace: str, key: bytes, cipher: FieldCipher | None = None) -> None:
        """`key` vouches for values where there is no cipher to seal them."""
        self._url = url
        self._prefix = f"palazzo:{palace}:"
        self._key = key
        self._cipher = cipher
        self._server: Lazy[redis.Redis] = Lazy(self._connected, per_process=True)
        self._alone = LocalWorking()
        self._again = 0.0
        self.trouble = ""
        """Why the server cannot be reached; empty while it can."""

    def get(self, key: str) -> str | None:
        return self._asked(lambda server: self._opened(key, server.get(self._prefix + key)), lambda own: own.get(key))

    def put(self, key: str, value: str, ttl_s: float) -> None:
        self._asked(
            lambda server: server.set(self._prefix + key, self._sealed(key, value), px=max(1, round(ttl_s * 1000))),
            lambda own: own.put(key, value, ttl_s),
        )

    def drop(self, prefix: str) -> int:
        def gone(server: redis.Redis) -> int:
            wanted = "".join(f"\\{sign}" if sign in "*?[]\\^-" else sign for sign in self._prefix + prefix)
            found = list(server.scan_iter(match=f"{wanted}*", count=500))
            return int(server.unlink(*found)) if found else 0

        return self._asked(gone, lambda own: own.drop(prefix))

    def take(self, key: str, most: int, window_us: int, now_us: int) -> int:
        given = (now_us, window_us, most, f"{now_us}:{uuid4().hex[:12]}")
        return self._asked(
            lambda server: int(server.eval(_TAKE, 1, self._prefix + key, *given)),
            lambda own: own.take(key, most, window_us, now_us),
        )

    def count(self, key: str, most: int, ttl_s: float) -> bool:
        return self._asked(
            lambda server: bool(server.eval(_COUNT, 1, self._prefix + key, most, round(ttl_s * 1000))),
            lambda own: own.count(key, most, ttl_s),
        )

    def push(self, key: str, value: str, most: int, ttl_s: float) -> None:
        def pushed(server: redis.Redis) -> None:
            with server.pipeline(transaction=True) as steps:
                steps.rpush(self._prefix + key, self._sealed(key, value))
                steps.ltrim(self._prefix + key, -most, -1)
                steps.pexpire(self._prefix + key, max(1, round(ttl_s * 1000)))
                steps.execute()

        self._asked(pushed, lambda own: own.push(key, value, most, ttl_s))

    def listed(self, key: str) -> tuple[str, ...]:
        def found(server: redis.Redis) -> tuple[str, ...]:
            rows: Any = server.lrange(self._prefix + key, 0, -1)
            return tuple(text for row in rows if (text := self._opened(key, row)) is not None)

        return self._asked(found, lambda own: own.listed(key))

    def _connected(self) -> redis.Redis:
        extras.need("redis", "redis", "the client of Redis is not installed")
        import redis

        try:
            return redis.Redis.from_url(
                self._url, socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S, health_check_interval=15
            )
        except ValueError as error:
            raise InvalidInput("redis is redis://HOST:PORT/0, rediss:// or unix://PATH", field="redis") from error

    def _asked(self, there: Callable[[redis.Redis], T], alone: Callable[[LocalWorking], T]) -> T:
        """What the server says; this process's own word while it cannot be reached."""
        server = self._server.get()
        import redis

        if time.monotonic() >= self._again:
            try:
                found = there(server)
            except (redis.RedisError, OSError) as error:
                self.trouble = type(error).__name__
                self._again = time.monotonic() + AGAIN_S
            else:
                if self.trouble:
                    self.trouble = ""
                    self._alone = LocalWorking()
                return found
        return alone(self._alone)

    def _sealed(self, key: str, value: str) -> bytes:
        """A value with what tells where it belongs."""
        if self._cipher is not None:
            return self._cipher.seal(f"{key}\n{value}", 0)
        return self._mark(key, value.encode()) + value.encode()

    def _opened(self, key: str, stored: Any) -> str | None:
        if not isinstance(stored, bytes):
            return None
        if self._cipher is not None:
            try:
                told, _, value = self._cipher.open(stored, 0).partition("\n")
            except WrongKey:
                return None
            return value if told == key else None
        value_bytes = stored[_MARK_BYTES:]
        if not hmac.compare_digest(stored[:_MARK_BYTES], self._mark(key, value_bytes)):
            return None
        return value_bytes.decode()

    def _mark(self, key: str, value: bytes) -> bytes:
        return blake2b(key.encode() + b"\n" + value, key=self._key[:64], digest_size=_MARK_BYTES).digest()
