"""Real shells on a terminal of their own, for what can only be seen there: hooks, prompts, what is opened meanwhile."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_PROMPT = re.compile(rb"<<(\d+)>>")
_STARTUP = {
    "bash": "PS1='<<$((shown=shown+1))>>'\nHISTFILE=\nset +m\n{hook}\n",
    "zsh": "setopt prompt_subst\nPROMPT='<<$((shown=shown+1))>>'\nRPROMPT=\nunsetopt prompt_cr prompt_sp zle\n{hook}\n",
    "fish": "set -g fish_greeting\nset -g shown 0\nfunction fish_prompt; set shown (math $shown + 1); "
    "echo -n '<<'$shown'>>'; end\n{hook}\n",
}
PATIENCE_S = 30.0


def missing(*programs: str) -> str:
    """The first of these programs that is not installed; empty when all are."""
    return next((name for name in programs if shutil.which(name) is None), "")


class RealShell:
    """One interactive shell; `run` types a line and waits for the next prompt."""

    def __init__(
        self, name: str, home: Path, hook: str, env: Mapping[str, str] | None = None, before: Sequence[str] = ()
    ) -> None:
        """`before` is a program, with its words, that runs the shell."""
        home.mkdir(parents=True, exist_ok=True)
        startup = home / f"startup.{name}"
        startup.write_text(_STARTUP[name].format(hook=hook), encoding="utf-8")
        words = {
            "bash": ["bash", "--noprofile", "--rcfile", str(startup), "-i"],
            "zsh": ["zsh", "-d", "-i"],
            "fish": ["fish", "-i"],
        }[name]
        (home / "config" / "fish").mkdir(parents=True, exist_ok=True)
        (home / "data" / "fish" / "generated_completions").mkdir(parents=True, exist_ok=True)  # or fish makes them
        for own in {"zsh": (home / ".zshrc",), "fish": (home / "config" / "fish" / "config.fish",)}.get(name, ()):
            own.write_text(startup.read_text(encoding="utf-8"), encoding="utf-8")
        given = {
            "HOME": str(home), "ZDOTDIR": str(home), "PATH": os.defpath, "TERM": "dumb", "LANG": "C.UTF-8",
            "PAGER": "cat", "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"), **(env or {}),
        }  # fmt: skip
        words = [*before, *words]
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe(words[0], words, given)
        self._seen = 0
        self._rest = b""
        self.wait()

    def wait(self) -> bytes:
        """What the shell wrote until its next prompt.

        Raises: TimeoutError.
        """
        until = time.monotonic() + PATIENCE_S
        while True:
            for found in _PROMPT.finditer(self._rest):
                if int(found[1]) > self._seen:
                    self._seen = int(found[1])
                    said, self._rest = self._rest[: found.start()], self._rest[found.end() :]
                    return said
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._terminal], [], [], left)[0]:
                raise TimeoutError(f"no prompt came: {self._rest[-400:]!r}")
            self._rest += os.read(self._terminal, 1 << 16)

    def run(self, line: str) -> float:
        """Types a line and waits for the next prompt; the seconds that took."""
        while select.select([self._terminal], [], [], 0)[0]:
            self._rest += os.read(self._terminal, 1 << 16)
        for found in _PROMPT.finditer(self._rest):  # a prompt that was only drawn again
            self._seen = max(self._seen, int(found[1]))
        self._rest = b""
        began = time.perf_counter()
        os.write(self._terminal, line.encode() + b"\n")
        self.wait()
        return time.perf_counter() - began

    def close(self) -> None:
        """Ends the shell."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGHUP)
        os.close(self._terminal)
        os.waitpid(self.pid, 0)

    def __enter__(self) -> RealShell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
