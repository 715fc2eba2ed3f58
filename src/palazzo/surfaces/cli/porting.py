"""How long work runs on a terminal: import, export, backup and verify, with a count that moves, asking for passphrases.

Owns nothing but that; what they do is the operations'. Invariant: a passphrase that was not given is asked for, never
guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.port.run import detect_own

if TYPE_CHECKING:
    from palazzo.engine import Engine
    from palazzo.surfaces.cli.session import Session

WATCHED: Final = frozenset({"import", "export", "backup", "verify"})


def run(session: Session, engine: Engine, name: str, given: dict[str, Any]) -> Any:
    """Runs the operation and shows how far it is."""
    from palazzo.surfaces.cli.session import ask, progress_bar

    if not given.get("passphrase") and (prompt := _prompt(name, given)):
        given = {**given, "passphrase": ask(prompt)}
    with progress_bar(session, name) as progress:
        return call(engine, Caller(), name, given, progress=progress)


def _prompt(name: str, given: dict[str, Any]) -> str:
    """What to ask for when the file is an encrypted archive."""
    if name in ("backup", "verify"):
        return ""
    if name == "export":
        sealed = given.get("format") == "encrypted" or Path(given["to"]).suffix in (".sealed", ".enc")
        return "New passphrase of the archive: " if sealed else ""
    sealed = given.get("format") == "encrypted" or detect_own(Path(given["file"]).expanduser()) == "encrypted"
    return "Passphrase of the archive: " if sealed else ""
