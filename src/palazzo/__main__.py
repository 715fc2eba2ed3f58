"""`python -m palazzo` is the command `palazzo`. A hook that a running daemon can answer loads nothing else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Runs the command line.

    Loading modules makes some 200,000 objects, none of them garbage: looking for it takes a tenth of a short command,
    and looking once more at the end a fifth. Threads for numpy's matrices take as long to start, and are not used
    (`files/blas_threads`).
    """
    gc.set_threshold(500_000, 20, 20)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # noqa: TID251 - numpy reads it as it is loaded
    if "hook" in sys.argv[1:4]:
        from palazzo.surfaces.hooks.thin import answer_quickly

        if answer_quickly(sys.argv[1:]):
            return
    from palazzo.surfaces.cli.commands import main as command

    try:
        command()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
