"""`palazzo bench`: how fast this palace answers on this machine, asked with words of its own memories.

Owns the measuring of one palace; the published benchmarks are in bench/. Writes nothing to the palace.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

WORDS = 8
WARM = 3


def _run(session: Session, cues: int) -> None:
    from palazzo.operations.call import call
    from palazzo.operations.caller import Caller

    with session.engine() as engine:
        started = time.perf_counter()
        page = call(engine, Caller(), "list", {"limit": cues})
        listed_ms = (time.perf_counter() - started) * 1000
        asked = [" ".join(memory.text.split()[:WORDS]) for memory in page]
        for cue in asked[:WARM]:
            call(engine, Caller(), "recall", {"cue": cue})
        found, took = 0, []
        for cue, memory in zip(asked, page, strict=True):
            started = time.perf_counter()
            reply = call(engine, Caller(), "recall", {"cue": cue})
            took.append((time.perf_counter() - started) * 1000)
            found += any(hit.memory.id == memory.id for hit in reply)
        status = call(engine, Caller(), "status", {})
    took.sort()
    told: dict[str, Any] = {"memories": status.memories, "cues": len(took), "list_ms": round(listed_ms, 2)}
    if took:
        told |= {
            "recall_p50_ms": round(took[len(took) // 2], 2), "recall_p95_ms": round(took[len(took) * 95 // 100], 2),
            "recall_max_ms": round(took[-1], 2), "found_in_ten": round(found / len(took), 3),
        }  # fmt: skip
    session.show(
        told, lambda made: click.echo("\n".join(f"{name.replace('_', ' '):16} {v}" for name, v in made.items()))
    )


def command() -> click.Command:
    """The command `palazzo bench`."""
    return click.Command(
        "bench", callback=click.pass_obj(_run), short_help="Measure how fast this palace answers.",
        params=[
            click.Option(
                ["--cues"], type=click.IntRange(1, 1000), default=100, metavar="N", help="How many cues. [default: 100]"
            )
        ],
        help="Measure how fast this palace answers on this machine: the first words of its newest memories are asked"
        " for, one after the other, and it is counted how often the memory itself is among the ten found.",
    )  # fmt: skip
