"""Where a system has none of what only Unix has, Palazzo is imported and used all the same.

A system without `fcntl`, forks, Unix sockets and the rest is simulated: what Windows lacks is taken out of a fresh
interpreter, its one kind of file lock is put in, and the library and the commands are used.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ON_WINDOWS = """
import sys, os, types, signal, socket
import asyncio, multiprocessing, shutil, sqlite3, ssl, subprocess, sysconfig, tempfile
import threading, uuid, webbrowser, zipfile, zoneinfo
import apsw, click, cryptography, msgspec, numpy, platformdirs, Stemmer
sysconfig.get_config_vars()
try:
    import uvicorn, mcp.server.stdio
except ImportError:
    pass
for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in (
    "fork register_at_fork pread pwrite getuid geteuid getgid uname sysconf mkfifo O_CLOEXEC O_NOFOLLOW"
    " O_DIRECTORY fchmod fchown chown killpg setsid getpgid sched_getaffinity fdatasync posix_fallocate"
).split():
    if hasattr(os, name):
        delattr(os, name)
for name in ("AF_UNIX", "SO_PEERCRED", "socketpair"):
    if hasattr(socket, name):
        delattr(socket, name)
for name in ("SIGKILL", "SIGALRM", "alarm", "setitimer", "SIGHUP", "SIGUSR1", "pthread_sigmask"):
    if hasattr(signal, name):
        delattr(signal, name)
windows_locks = types.ModuleType("msvcrt")
windows_locks.LK_LOCK, windows_locks.LK_NBLCK = 1, 2
windows_locks.held = {}
def locking(handle, mode, count):
    windows_locks.held[os.fstat(handle).st_ino] = mode
windows_locks.locking = locking
sys.modules["msvcrt"] = windows_locks
sys.platform = "win32"
"""

_USED = """
import importlib, pkgutil
import palazzo
NEEDS_MORE = (
    "palazzo.integrations.", "palazzo.surfaces.mcp.", "palazzo.surfaces.compat.anthropic", "palazzo.__main__",
    "palazzo.testing",
)
for found in pkgutil.walk_packages(palazzo.__path__, "palazzo."):
    if not found.name.startswith(NEEDS_MORE):
        importlib.import_module(found.name)
from palazzo import Memory
with Memory("palace", embedder="none") as memory:
    memory.remember("The ferry leaves at nine.")
    memory.remember("The ferry leaves at ten.", user_id="ada")
    assert memory.recall("when does the ferry leave?")[0].text == "The ferry leaves at nine."
    assert memory.health() and memory.doctor()
    assert memory.verify().clean
assert windows_locks.held, "the palace took no lock"
from click.testing import CliRunner
from palazzo.surfaces.cli.commands import main
for line in (["init"], ["remember", "Mira sails."], ["recall", "who sails?"]):
    done = CliRunner().invoke(main, ["--palace", "other", *line])
    assert done.exit_code == 0, (line, done.output, done.exception)
assert "Mira sails." in done.output
"""


def test_palazzo_is_imported_and_used_where_nothing_of_unix_is_there(root: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ON_WINDOWS + _USED], capture_output=True, text=True, cwd=tmp_path,
        env={"PYTHONPATH": str(root / "src"), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_no_module_loads_what_only_unix_has_when_it_is_imported(sources: dict[str, str]) -> None:
    faults = [
        f"{path}: {line}"
        for path, text in sources.items()
        if path.startswith("src/")
        for line in text.splitlines()
        if line.startswith(
            ("import fcntl", "import pwd", "import grp", "import resource", "from fcntl", "import termios")
        )
    ]
    assert not faults, faults
