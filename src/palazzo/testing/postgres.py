"""A PostgreSQL server of the tests' own: found on the machine, started in a temporary folder, gone at the end.

Knows no palace. The server refuses to run as root, so root starts it as another user. Where there is none, whoever asks
is told what is missing.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Final

PLACES: Final = ("/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin")
OLDEST: Final = 15
MISSING: Final = "no PostgreSQL 15 or newer on this machine: `apt-get install postgresql` as root brings it"


class NoServer(Exception):
    """There is no server to start, and why."""


def programs() -> Path | None:
    """The folder of the server's programs, of the newest release that is here."""
    found = [path for pattern in PLACES for path in Path("/").glob(pattern[1:]) if (path / "initdb").exists()]
    named = shutil.which("initdb")
    if named:
        found.append(Path(named).resolve().parent)
    return max(found, key=_release, default=None)


def _release(folder: Path) -> int:
    told = subprocess.run([str(folder / "postgres"), "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"\d+", told)
    return int(number[0]) if number else 0


class Server:
    """One server in a folder of its own."""

    def __init__(self, *, durable: bool = False, kept: Path | None = None) -> None:
        """In a folder that goes with it, or in one that is `kept`, with what is there already."""
        folder = programs()
        if folder is None or _release(folder) < OLDEST:
            raise NoServer(MISSING)
        self._programs = folder
        self._durable = durable
        self._kept = kept is not None
        self.folder = kept or Path(tempfile.mkdtemp(prefix="palazzo-pg-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self._as = _other_user()
        if self._as:
            shutil.chown(self.folder, *self._as)
        self.port = _free_port()
        if not (self.folder / "data").exists():
            self._run(
                "initdb", "-D", str(self.folder / "data"), "-U", "palazzo", "-A", "trust", "-E", "UTF8", "--no-locale"
            )
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        """The address of its one database."""
        return f"postgresql://palazzo@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        settings = {
            "port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": 200,
            **dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "on" if self._durable else "off"),
            "shared_buffers": "128MB", "max_locks_per_transaction": 1024,
        }  # fmt: skip
        told = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self._shell(), str(self._programs / "postgres"), "-D", str(self.folder / "data"), *told],
                stdout=subprocess.DEVNULL, stderr=log, cwd="/",
            )  # fmt: skip
        until = time.monotonic() + 60
        ready = [str(self._programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ready, check=False).returncode:
            if self.process.poll() is not None or time.monotonic() > until:
                raise NoServer(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-500:]}")
            time.sleep(0.05)

    def processor_s(self) -> float:
        """Seconds of processor time its processes have used, those that have ended included."""
        if self.process is None:
            return 0.0
        ticks, main = 0, self.process.pid
        for pid in _family(main):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks += sum(map(int, fields[11 : 15 if pid == main else 13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Ends it and all its sessions at once, as a power cut would, and waits until they are gone."""
        if self.process is not None:
            subprocess.run(["kill", "-9", *map(str, _family(self.process.pid))], check=False, capture_output=True)
            self.process.wait()
            self.process = None
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Ends it and removes its folder, unless that is kept."""
        if self.process is not None:
            stop = [
                "pg_ctl",
                "-D",
                str(self.folder / "data"),
                "-m",
                "fast" if self._kept else "immediate",
                "-W",
                "stop",
            ]
            stop[0] = str(self._programs / stop[0])
            subprocess.run([*self._shell(), *stop], check=False, capture_output=True, cwd="/")
            self.process.wait()
            self.process = None
        if not self._kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _shell(self) -> list[str]:
        if not self._as:
            return []
        return ["setpriv", f"--reuid={self._as[0]}", f"--regid={self._as[1]}", "--clear-groups"]

    def _run(self, program: str, *told: str) -> None:
        done = subprocess.run(
            [*self._shell(), str(self._programs / program), *told], capture_output=True, text=True, check=False, cwd="/"
        )
        if done.returncode:
            raise NoServer(f"{program} failed: {done.stderr[-500:]}")


def _family(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.parent.name))
    return found


def _other_user() -> tuple[int, int] | None:
    """Whom root starts it as."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return found.pw_uid, found.pw_gid
    return None


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@lru_cache(maxsize=1)
def shared_server() -> Server:
    """The server of this process, started on first use and stopped at its end.

    Raises: NoServer.
    """
    server = Server()
    atexit.register(server.stop)
    return server
