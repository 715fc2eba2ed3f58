"""Handoffs as files a person can read: one page for each thread, below `handoffs` in the palace's folder.

Owns the folder. A page is derived from the turns and written anew with each handoff; an erasure removes them all, for
nobody can tell whom a page quotes. Invariants: a page is there whole or not at all, whatever ends the process; in a
palace with a key there is none, for it would hold in clear what is sealed.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from palazzo.files import raw_files
from palazzo.model.address import slug
from palazzo.model.scope import Scope

FOLDER: Final = "handoffs"


def page_of(folder: Path, scope: Scope, thread: str) -> Path:
    """Where the page of a thread is."""
    within = [slug(f"{level}-{value}", 60) or level for level, value in scope.levels]
    return folder.joinpath(FOLDER, *within, f"{slug(thread, 80) or 'thread'}.md")


def write_page(folder: Path, scope: Scope, thread: str, text: str) -> Path:
    """Writes the page of a thread in the place of the one before.

    Raises: OSError.
    """
    path = page_of(folder, scope, thread)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    raw_files.put(path, text.encode())
    return path


def remove_pages(folder: Path) -> None:
    """Removes every page and every draft of one.

    Raises: OSError.
    """
    if (folder / FOLDER).is_dir():
        shutil.rmtree(folder / FOLDER)
