"""`python -m palazzo` is the command `palazzo`."""

from __future__ import annotations

from palazzo.surfaces.cli.commands import main

if __name__ == "__main__":
    main()
