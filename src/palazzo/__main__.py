"""`python -m palazzo` is the command `palazzo`. A hook that a running daemon can answer loads nothing else."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line."""
    if "hook" in sys.argv[1:4]:
        from palazzo.surfaces.hooks.thin import answer_quickly

        if answer_quickly(sys.argv[1:]):
            return
    from palazzo.surfaces.cli.commands import main as command

    command()


if __name__ == "__main__":
    main()
