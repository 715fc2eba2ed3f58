"""Other memories and stores behind one small face, so that every system does the same work in one run.

One file a system. A peer is an optional dependency of the benchmarks alone (`pip install --group peers`); a peer that
is not installed is named as missing in the result, never silently left out. Invariant: an adapter holds no tuning of
its own, only the documented way to write to and search its system.
"""

from __future__ import annotations

from importlib import import_module

from bench.peers.system import Opened, System

SYSTEMS: dict[str, str] = {
    "palazzo": "bench.peers.palazzo_memory:PalazzoMemory",
    "palazzo-fast": "bench.peers.palazzo_memory:PalazzoFast",
    "palazzo-deep": "bench.peers.palazzo_memory:PalazzoDeep",
    "palazzo-verbatim": "bench.peers.palazzo_memory:PalazzoVerbatim",
    "sqlite-fts5": "bench.peers.sqlite_fts5:SqlFts5",
    "chroma": "bench.peers.chroma:Chroma",
    "lancedb": "bench.peers.lance:Lance",
    "mem0": "bench.peers.mem0_memory:Mem0",
    "mempalace": "bench.peers.mempalace_drawers:MemPalace",
    "mcp-memory": "bench.peers.mcp_memory:McpMemory",
}

STORES = {"palazzo-fast": "palazzo", "palazzo-deep": "palazzo"}
"""Systems that read what another one wrote."""


def open_system(name: str, opened: Opened) -> System:
    """Opens a system by name in its folder.

    Raises: KeyError for an unknown name, ImportError when the peer is not installed.
    """
    module, _, kind = SYSTEMS[name].partition(":")
    made: System = getattr(import_module(module), kind)(opened)
    return made
