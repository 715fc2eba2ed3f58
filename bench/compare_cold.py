"""Open and first answer in a process that has imported nothing: prints milliseconds of wall clock and of CPU.

    python -m bench.compare_cold SYSTEM FOLDER EMBEDDER

Everything the system needs counts, its imports and the embedder's weights included; the interpreter's own start does
not. Imports only the standard library before the clock starts.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

QUESTION = "bax kex dix lodix mulodix raxe"


def main() -> None:
    name, folder, embedder = sys.argv[1:]
    began, cpu = time.perf_counter(), time.process_time()
    from bench.peers import open_system
    from bench.peers.system import Ask, Opened, SharedEmbedder

    open_system(name, Opened(Path(folder), SharedEmbedder(embedder))).search(Ask(QUESTION), 10)
    spent, used = time.perf_counter() - began, time.process_time() - cpu
    print(round(spent * 1000, 1), round(used * 1000, 1), flush=True)
    os._exit(0)  # some peers keep threads that never end


if __name__ == "__main__":
    main()
