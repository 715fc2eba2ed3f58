"""Git: commits of a repository as raw events, with the languages they touched.

Reads with git itself: hash, time, subject and the names of the files of a commit, never their content. Invariants: a
repository that is private is not looked at; a commit that was told before is not told again.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from palazzo.capture.counting import language_of
from palazzo.errors import InvalidInput, PartUnavailable
from palazzo.model.raw_event import RawEvent
from palazzo.model.scope import GLOBAL, Scope
from palazzo.model.zone import moment

SOURCE: Final = "git"
PATIENCE_S: Final = 20
_FORMAT: Final = "%x1e%H%x1f%at%x1f%s"


def commits(
    repository: Path, *, since_us: int, after: str = "", limit: int = 200, scope: Scope = GLOBAL
) -> Iterator[RawEvent]:
    """The newest commits of a repository, oldest first; with `after` those that follow this one.

    Raises: InvalidInput when there is no repository, PartUnavailable without git.
    """
    program = shutil.which("git")
    if program is None:
        raise PartUnavailable("git is not installed", part="git", hint="install git, or leave this adapter off")
    asked = [
        program, "-C", str(repository), "log", "--no-merges", f"--max-count={limit}", f"--format={_FORMAT}",
        "--name-only", "--no-renames", f"--since={moment(since_us).isoformat()}",
    ]  # fmt: skip
    wanted = [f"{after}..HEAD"] if after else []
    done = _run([*asked, *wanted])
    if done.returncode and after:
        done = _run(asked)  # history was written anew: that commit is gone
    if done.returncode:
        raise InvalidInput(f"{repository} is no git repository with commits", field="repository")
    for part in reversed(done.stdout.split("\x1e")[1:]):
        head, _, names = part.partition("\n")
        commit, at, subject = head.split("\x1f", 2)
        files = [name for name in names.splitlines() if name.strip()]
        languages = Counter(filter(None, map(language_of, files)))
        yield RawEvent(
            kind="commit", source=SOURCE, reference=subject, at_us=int(at) * 1_000_000, scope=scope,
            metadata={
                "repository": str(repository), "commit": commit, "files": len(files), "languages": dict(languages),
            },
        )  # fmt: skip


def _run(words: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - git, by its full path, with words of our own
            words, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise PartUnavailable("git did not answer in time", part="git", hint="try again") from error
