"""Writes docs/figures/first-session.svg: a first session on the command line, as a picture that types itself.

`python -m scripts.cast` runs the commands in an empty palace and draws what they printed, nothing else; where there is
nothing that moves (or the reader wants nothing to move) the whole session is seen. A test runs them again and compares.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from html import escape
from pathlib import Path

FILE = Path(__file__).parent.parent / "docs" / "figures" / "first-session.svg"
SESSION = (
    "palazzo init",
    'palazzo remember "Deploys to production happen on Tuesdays."',
    'palazzo recall "when do we deploy?"',
    'palazzo remember "I am allergic to peanuts."',
    'palazzo remember "Deploys to production happen on Thursdays now."',
    'palazzo context "plan the release party: when, and what can I eat?"',
)
COLUMNS, LINE, MARGIN, SIGN = 110, 20, 16, 8.4
STEP_S = 1.4
"""How long after one command the next appears."""


def printed(command: str, folder: Path) -> list[str]:
    """What a command prints on a terminal."""
    import pty  # there is none on Windows, and this module is read there

    environment = {
        "PALAZZO_PALACE": str(folder / "palace"), "HOME": str(folder), "LANG": "C.UTF-8", "TZ": "UTC",
        "COLUMNS": str(COLUMNS), "LINES": "40", "TERM": "xterm",
    }  # fmt: skip
    outside, terminal = pty.openpty()
    with os.fdopen(outside, "rb", buffering=0) as screen:
        subprocess.run(  # noqa: S602 - the commands above
            command.replace("palazzo", f"{sys.executable} -m palazzo", 1), shell=True, check=True, stdout=terminal,
            stderr=terminal, stdin=subprocess.DEVNULL, env=environment, cwd=folder,
        )  # fmt: skip
        os.close(terminal)
        seen = bytearray()
        with suppress(OSError):  # Linux says so when the last program is gone
            while piece := screen.read(1 << 16):
                seen += piece
    text = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode())
    return [line.rstrip().replace(str(folder), "~") for line in text.splitlines() if line.strip()]


def played(folder: Path) -> list[tuple[str, list[str]]]:
    """Each command with the lines it printed; a question is asked thrice: the first one reads models from the disk."""
    told = []
    for command in SESSION:
        for _ in range(2 if " recall " in command else 0):
            printed(command, folder)
        told.append((command, printed(command, folder)))
    return told


def drawn(session: list[tuple[str, list[str]]]) -> str:
    """The session as a picture."""
    height = 2 * MARGIN + LINE * (1 + sum(1 + len(lines) for _, lines in session))
    width = 2 * MARGIN + SIGN * COLUMNS
    parts, at = [], MARGIN + LINE
    for number, (command, lines) in enumerate(session):
        rows = []
        for place, line in enumerate((f"$ {command}", *lines)):
            kind = "typed" if place == 0 else "told"
            rows.append(f'<text class="{kind}" x="{MARGIN}" y="{at}">{escape(line[:COLUMNS])}</text>')
            at += LINE
        parts.append(f'<g style="animation-delay:{number * STEP_S:.1f}s">{"".join(rows)}</g>')
    style = (
        "rect{fill:#14161c}text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}"
        ".typed{fill:#8fd3ff}.told{fill:#d6d9e0}"
        "@media (prefers-reduced-motion:no-preference){g{animation:in .3s backwards}@keyframes in{from{opacity:0}}}"
    )
    said = escape("; ".join(command for command, _ in session))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">'
        f"<title>A first session</title><desc>{said}</desc><style>{style}</style>"
        f'<rect width="100%" height="100%" rx="8"/>{"".join(parts)}</svg>\n'
    )


def main() -> None:
    """Plays and writes."""
    with tempfile.TemporaryDirectory() as folder:
        FILE.write_text(drawn(played(Path(folder))), "utf-8")


if __name__ == "__main__":
    main()
