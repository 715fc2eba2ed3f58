"""`palazzo bench` and `palazzo plugins`: how fast this palace answers on this machine, and which parts other packages
bring.

Owns the measuring of one palace, asked with words of its own memories; the published benchmarks are in bench/. Writes
nothing to the palace.
"""

from __future__ import annotations

import time
from dataclasses import asdict
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


def bench_command() -> click.Command:
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


def _list_plugins(session: Session, check: bool) -> None:
    from palazzo.bootstrap import installed_plugins

    found = [asdict(one) for one in installed_plugins(check=check)]
    session.show({"plugins": found}, _render_plugins)


def _render_plugins(told: dict[str, Any]) -> None:
    from rich.console import Console

    from palazzo.surfaces.cli.tables import line, table

    console = Console()
    if not told["plugins"]:
        line(console, "no plugins are installed; docs/plugins.md says how one is made")
        return
    rows = (
        (p["kind"], p["name"], f"{p['package']} {p['version']}", p["fault"] or p["target"]) for p in told["plugins"]
    )
    table(console, ("kind", "name", "package", "what it is"), rows)


def plugins_command() -> click.Command:
    """The command `palazzo plugins`."""
    return click.Command(
        "plugins", callback=click.pass_obj(_list_plugins), short_help="List the parts that other packages bring.",
        params=[click.Option(["--check"], is_flag=True, help="Load each, and say what is wrong with those that fail.")],
        help="List the embedders, completers, rerankers, importers and context providers of other packages. Nothing of"
        " them runs unless --check is given.",
    )  # fmt: skip
