"""What people see of dreams, of the questions they keep, and of what the palace knows about itself.

Owns how these results are written. A report is Markdown already and is printed as it is.
"""

from __future__ import annotations

from rich.console import Console

from palazzo.operations.dream import spec as dream
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, when


def _dreams(console: Console, found: dream.DreamList) -> None:
    if not len(found):
        line(console, "no dream left a report yet")
    for one in found:
        line(console, one.markdown)


RENDER_MIND: dict[type, Render] = {
    dream.Dreamt: saying(lambda f: f.markdown),
    dream.DreamList: _dreams,
    dream.GapList: rows(("question", "why", "gap", "again"), lambda g: (g.question, g.sort, g.id, when(g.again_at))),
    dream.ShownGap: saying(lambda f: f"{f.question} Asked; it rests for a week."),
}
