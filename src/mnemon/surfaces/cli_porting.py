"""How import runs on a terminal: with a count that moves. What it does is the operation's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mnemon.operations.call import call
from mnemon.operations.caller import Caller
from mnemon.operations.porting import import_file

if TYPE_CHECKING:
    from mnemon.engine import Engine
    from mnemon.surfaces.cli import Session

WATCHED = frozenset({"import"})


def run(session: Session, engine: Engine, name: str, given: dict[str, Any]) -> Any:
    """Runs the operation and shows how far it is."""
    from mnemon.surfaces.cli import progress_bar

    with progress_bar(session, name) as progress:
        return call(engine, Caller(), name, given, run=lambda context, asked: import_file(context, asked, progress))
