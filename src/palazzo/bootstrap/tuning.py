"""The settings a palace keeps in its own folder, and changing them while it is open.

Owns the file settings.toml. What the environment or the program gives is stronger than the file. Invariants: a value is
checked before it is written or used; the file is replaced as a whole; one that cannot be used changes nothing, and the
palace says so; no secret is written there.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput, NotFound
from palazzo.files import raw_files
from palazzo.model.fork_lock import ForkLock
from palazzo.settings import SECRET_SETTINGS, SETTINGS, Settings, TunedSetting

SETTINGS_FILE: Final = "settings.toml"
LOOKED_EVERY_S: Final = 1.0
AT_START: Final = frozenset({
    "palace", "durable", "busy_wait_s", "cache_mb", "mmap_mb", "text_cache_mb", "vector_cache_mb", "upkeep",
    "daemon", "require_encryption", "hide_times", "keyring", *SECRET_SETTINGS,
})  # fmt: skip
"""Settings that are read when a palace is opened, and not again."""
ELSEWHERE: Final = SECRET_SETTINGS | {"palace"}
"""Settings that are never in the file: secrets, and where the file is."""


def read_file(path: Path) -> dict[str, Any]:
    """What the file says; nothing when there is none.

    Raises: InvalidInput when it is no TOML, or names what is no setting of a palace.
    """
    try:
        told = tomllib.loads(raw_files.content(path).decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", field="settings") from error
    for name in told:
        if name in ELSEWHERE:
            raise InvalidInput(f"{path}: {name} does not belong in a file", field=name, hint="see docs/settings.md")
    return told


def over_file(settings: Settings, path: Path) -> Settings:
    """Settings laid over what the file says.

    Raises: InvalidInput.
    """
    told = {name: value for name, value in read_file(path).items() if name not in settings.sources}
    if not told:
        return settings
    given = {name: settings[name] for name in settings.sources}
    sources = {**settings.sources, **dict.fromkeys(told, "file")}
    return replace(Settings.of({**given, **told}), sources=sources)


class Tuning:
    """The settings of an open palace. Threads share it."""

    def __init__(self, settings: Settings, path: Path, fit: Callable[[Settings], None]) -> None:
        """`fit` gives the palace the parts and rules of other settings."""
        self._settings = settings
        self._path = path
        self._fit = fit
        self._lock = ForkLock()
        self._mark = self._now()
        self._looked_s = time.monotonic()
        self.trouble = ""
        """Why the file that is there is not used; empty when it is."""

    def shown(self) -> tuple[TunedSetting, ...]:
        """Every setting, secrets without their values."""
        return tuple(
            TunedSetting(
                setting=one, value="***" if one.name in SECRET_SETTINGS and value else value,
                source=self._settings.sources.get(one.name, "default"), at_once=one.name not in AT_START,
            )
            for one in SETTINGS
            for value in (self._settings[one.name],)
        )  # fmt: skip

    def put(self, name: str, value: str) -> TunedSetting:
        """Writes a setting into the file and uses it; an empty value takes it out again.

        Raises: NotFound, InvalidInput.
        """
        known = next((one for one in SETTINGS if one.name == name), None)
        if known is None:
            raise NotFound(f"no setting {name!r}", hint="`palazzo settings` shows them")
        if name in ELSEWHERE:
            raise InvalidInput(f"{name} is not kept in a file", field="name", hint=f"set {known.environment} instead")
        if (source := self._settings.sources.get(name, "file")) != "file":
            raise InvalidInput(
                f"{name} is set by the {'environment' if source == 'environment' else 'program'} of this process",
                field="name", hint=f"unset {known.environment}, or change it there",
            )  # fmt: skip
        told = read_file(self._path)
        told.pop(name, None)
        if value:
            told[name] = known.read(value)
        Settings.of(told)
        self._write(told)
        with self._lock:
            self._mark = self._now()
            self._use()
        return next(one for one in self.shown() if one.setting.name == name)

    def refresh(self, *, at_once: bool = False) -> tuple[str, ...]:
        """Uses the file as it is now, if it changed; looks at most once a second. Says which settings are others."""
        now_s = time.monotonic()
        if not at_once and now_s - self._looked_s < LOOKED_EVERY_S:
            return ()
        with self._lock:
            self._looked_s = now_s
            mark = self._now()
            if mark == self._mark:
                return ()
            self._mark = mark
            return self._use()

    def _use(self) -> tuple[str, ...]:
        fixed = {name: source for name, source in self._settings.sources.items() if source != "file"}
        given = {name: self._settings[name] for name in fixed}
        try:
            found = over_file(replace(Settings.of(given), sources=fixed), self._path)
            kept = {name: self._settings[name] for name in AT_START}
            found = replace(found, values={**found.values, **kept})
            self._fit(found)
        except InvalidInput as error:
            self.trouble = error.message
            return ()
        self.trouble = ""
        changed = tuple(one.name for one in SETTINGS if found[one.name] != self._settings[one.name])
        self._settings = found
        return changed

    def _now(self) -> tuple[int, int, int]:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return 0, 0, 0
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _write(self, told: Mapping[str, Any]) -> None:
        lines = [f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in sorted(told.items())]
        raw_files.put(self._path, "".join(lines).encode())
