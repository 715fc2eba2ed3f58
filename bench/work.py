"""What continuity costs at a turn's end, when an agent is switched, and under a burst of writes from a workflow.

    python -m bench.work [--turns N] [--switches N] [--writes N] --json

checkpoint     saving where the work of a thread of N turns is, and reading it back as the page a session begins with
switch         from one agent's mind to another's: a slot is held, kept, and read back by a memory that was opened anew
metabolism     what `seal` does at the end of a turn, with the turns it looks at
burst          single writes over HTTP, as a workflow engine sends them, from several connections at once

Times are of the processor beside those of the clock: on a machine with other work the clock tells mostly of that.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from bench.common import machine, show
from bench.continuity_story import HELD_OUT, story
from bench.hooks import shares
from bench.server import Server
from palazzo import Memory

THREAD: Final = "work"
AGENTS: Final = ("pilot", "keeper")
CONNECTIONS: Final = 8


class Clocked:
    """How long calls took, by the processor and by the clock, in milliseconds."""

    def __init__(self) -> None:
        self.processor: list[float] = []
        self.wall: list[float] = []

    def __call__(self, call: Callable[[], Any]) -> Any:
        used, began = time.process_time(), time.perf_counter()
        made = call()
        self.processor.append((time.process_time() - used) * 1000)
        self.wall.append((time.perf_counter() - began) * 1000)
        return made

    def told(self) -> dict[str, Any]:
        return {"processor_ms": shares(self.processor), "wall_ms": shares(self.wall)}


def told(memory: Memory, turns: int) -> None:
    """A thread with so many turns of a working day."""
    said = story(3, HELD_OUT).turns[:turns]
    for start in range(0, len(said), 20):
        batch = [{"role": role, "content": text} for role, text in said[start : start + 20]]
        memory.observe(batch, thread=THREAD, session="bench")


def checkpoints(memory: Memory, times: int) -> dict[str, Any]:
    """Save and restore, each with another command at its end."""
    clock = Clocked()
    for number in range(times):
        ran = [{"command": f"make part-{number}", "exit_code": 0}]

        def save_and_restore(ran: list[dict[str, Any]] = ran) -> str:
            memory.checkpoint(THREAD, session="bench", cwd="/src/quay", branch="main", ran=ran)
            return memory.warm_start(THREAD).text

        assert f"make part-{number}" in clock(save_and_restore)
    return clock.told()


def switches(folder: Path, times: int) -> dict[str, Any]:
    """From agent to agent, by a memory that is opened anew each time; how many slots were not there."""
    with Memory(folder, embedder="none", upkeep=False) as memory:
        held = {
            agent: str(memory.remember(f"The {agent} has lamp {number}.", place="work.lamps").id)
            for number, agent in enumerate(AGENTS)
        }
        for agent, one in held.items():
            memory.mind_hold(one, agent_id=agent)
    clock = Clocked()
    lost = 0
    for number in range(times):
        with Memory(folder, embedder="none", upkeep=False) as memory:
            agent = AGENTS[number % len(AGENTS)]

            def switch(memory: Memory = memory, agent: str = agent) -> list[str]:
                memory.mind_hold(held[agent], agent_id=agent)
                return [str(slot.memory) for slot in memory.mind(agent_id=agent).slots]

            lost += clock(switch) != [held[agent]]
    return {"switches": times, "slots_lost": lost, **clock.told()}


def metabolised(memory: Memory, times: int) -> dict[str, Any]:
    """What is weighed at a turn's end."""
    memory.setting_put("persona", "seal, dynamics, standing")
    clock = Clocked()
    for _ in range(times):
        clock(lambda: memory.metabolism(THREAD))
    return clock.told()


def burst(folder: Path, writes: int) -> dict[str, Any]:
    """Single writes from several connections at once; all of them are there afterwards."""
    with Memory(folder, embedder="none", upkeep=False) as memory:
        token = memory.token_create("agent:primary").token
    server = Server(folder)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def some(numbers: range) -> list[int]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        found = []
        for number in numbers:
            text = f"Order {number} of the workflow went to berth {number % 97} at noon."
            connection.request("POST", "/v1/remember", json.dumps({"text": text}), headers)
            reply = connection.getresponse()
            reply.read()
            found.append(reply.status)
        connection.close()
        return found

    try:
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            some(range(CONNECTIONS))
            used, began = server.cpu_s(), time.perf_counter()
            parts = [range(CONNECTIONS + at, writes + CONNECTIONS, CONNECTIONS) for at in range(CONNECTIONS)]
            codes = [code for part in pool.map(some, parts) for code in part]
            wall, processor = time.perf_counter() - began, server.cpu_s() - used
    finally:
        server.stop()
    with Memory(folder, embedder="none", upkeep=False) as memory:
        kept = sum("of the workflow" in one.text for one in memory.list(limit=1000))
    return {
        "writes": len(codes), "acknowledged": sum(code == 200 for code in codes), "kept": kept - CONNECTIONS,
        "writes_per_s": round(len(codes) / wall, 1), "writes_per_processor_s": round(len(codes) / processor, 1),
    }  # fmt: skip


def measure(turns: int, switched: int, writes: int, times: int = 40) -> dict[str, Any]:
    """Every figure, in palaces of their own."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        with Memory(base / "thread", embedder="none", upkeep=False) as memory:
            told(memory, turns)
            found = {"checkpoint": checkpoints(memory, times), "metabolism": metabolised(memory, 5 * times)}
        found["switch"] = switches(base / "thread", switched)
        found["burst"] = burst(base / "thread", writes)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--switches", type=int, default=100)
    parser.add_argument("--writes", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.turns, given.switches, given.writes)
    show({"turns": given.turns, **found, "made": machine()}, given.json)


if __name__ == "__main__":
    main()
