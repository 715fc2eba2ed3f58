"""The adapters of capture: one module for each sort of thing that is done on the machine.

Owns which there are. Each knows its own program or protocol and nothing of memories; the gate and the store are behind
`palazzo.ports.Sight`. Invariant: an adapter that finds its program absent says why and stays off.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping

from palazzo.ports import CaptureAdapter, Sight


class ToldByHook:
    """An adapter that is told of things by a hook and looks at nothing by itself."""

    def __init__(self, name: str, about: str, programs: tuple[str, ...] = ()) -> None:
        self.name = name
        self.about = about
        self._programs = programs

    def missing(self) -> str:
        """Why it can see nothing here."""
        if not self._programs or any(shutil.which(one) for one in self._programs):
            return ""
        return f"{' or '.join(self._programs)} is not installed"

    def watch(self, sight: Sight) -> None:
        """Hooks tell: there is nothing to look at."""


SHELL = ToldByHook(
    "shell", "Commands with folder, exit code and duration, told by the hook of `palazzo shell init`.",
    ("bash", "zsh", "fish"),
)  # fmt: skip
GIT = ToldByHook("git", "Commits of watched folders or told by a hook: subject, time, languages of files.", ("git",))


def known_adapters(desktop: Mapping[str, str], more: Iterable[CaptureAdapter] = ()) -> tuple[CaptureAdapter, ...]:
    """Every adapter there is, those of plugins last; `desktop` are the variables by which one says where it is."""
    from palazzo.capture.adapters.files import Files
    from palazzo.capture.adapters.music import Music
    from palazzo.capture.adapters.window import FrontWindow

    return (SHELL, GIT, Files(), FrontWindow(desktop), Music(desktop), *more)
