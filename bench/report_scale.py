"""The sections of docs/benchmarks.md about growth, sustained load and isolation; see report.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.pinned import command, load, table


def growth() -> str:
    """What each size costs, told and asked through the public API."""
    found = load("growth")
    if found is None:
        return ""
    sizes = found["sizes"]
    rows = [
        ["writing, memories a second", *(one["per_s"] for one in sizes)],
        ["writing, memories a second of CPU", *(one["per_cpu_s"] for one in sizes)],
        *(
            [f"{name}, p50 / p99 ms", *(f"{one[name]['p50_ms']} / {one[name]['p99_ms']}" for one in sizes)]
            for name in ("recall", "context", "list")
        ),
        ["recall, CPU ms", *(one["recall"]["cpu_p50_ms"] for one in sizes)],
        ["open and first answer in a fresh process, ms", *(one["first_answer_ms"] for one in sizes)],
        ["resident memory of that process, MB", *(one["rss_mb"] for one in sizes)],
        ["of it no page of a file, MB", *(one["own_mb"] for one in sizes)],
        ["disk, bytes per memory", *(one["bytes_per_memory"] for one in sizes)],
    ]
    drawn = "\n".join(
        f"![{title}](figures/growth-{name}.svg)"
        for name, title in (
            ("recall", "Recall against size"), ("writing", "Writing against size"),
            ("open", "First answer against size"),
            ("memory", "Resident memory against size"), ("disk", "Disk against size"),
        )
    )  # fmt: skip
    head = ["memories", *(f"{one['memories']:,}" for one in sizes)]
    return (
        "## Growth through the public API\n\nOne palace is told synthetic conversations with `observe` until it holds "
        "each size; every question is new. Aims at 100,000: recall p50 at most 8 ms; at 1,000,000: at most 20 ms, open "
        "and first answer under 300 ms, under 500 MB resident, under 4,000 bytes of disk each; from 100,000 to "
        "1,000,000 less than three times the latency and at most a fifth of the writing speed lost.\n\n"
        f"{command('growth')}\n{table(head, rows)}\n\n{drawn}\n"
    )


def stress() -> str:
    """Writes at a steady rate with readers beside them, for minutes."""
    runs = [(name, found) for name in ("stress", "soak") if (found := load(name))]
    if not runs:
        return ""

    def both(found: dict[str, Any], kind: str) -> str:
        return f"{found[kind]['p50_ms']} / {found[kind]['p99_ms']}"

    def row(label: str, tell: Callable[[dict[str, Any]], Any]) -> list[Any]:
        return [label, *(tell(found) for _, found in runs)]

    rows = [
        row("minutes", lambda found: found["minutes"]),
        row("memories written a minute", lambda found: f"{found['writes_per_minute']:,}"),
        row("turns told a minute", lambda found: f"{found['turns_per_minute']:,}"),
        row("memories at the end", lambda found: f"{found['memories']:,}"),
        row("longest wait of a write, ms", lambda found: found["stall_max_ms"]),
        row("waits over 250 ms", lambda found: f"{found['stalls_over_250_ms']} of {found['write']['n']}"),
        row("write, p50 / p99 ms", lambda found: both(found, "write")),
        row("recall beside it, p50 / p99 ms", lambda found: both(found, "recall")),
        row("resident memory at the end, MB", lambda found: found["rss_mb"]),
        row("its growth over the second half, MB a minute", lambda found: found["rss_mb_per_minute"]),
        row("without pages of files, MB", lambda found: found["own_mb"]),
        row("its growth over the second half, MB a minute", lambda found: found["own_mb_per_minute"]),
        row("errors", lambda found: found["errors"]),
    ]  # fmt: skip
    return (
        "## Sustained load\n\nTwo writers tell five turns of a conversation a call, so that 10,000 memories a "
        "minute are written (each turn and what is drawn from it); two readers ask without pause but for 20 ms; one "
        "more thread lists, revises and links as a pass over the palace does. All in one process, so that they share "
        "one interpreter. `make bench-full` runs another benchmark beside it, growth among them. "
        "Wanted: no wait over 250 ms, flat memory.\n\n"
        f"{command('stress', 'soak')}\n{table(['', *(name for name, _ in runs)], rows)}\n\n"
        "![Resident memory under load](figures/stress-memory.svg)\n"
    )


def isolation() -> str:
    """Whether other tenants change my answers."""
    found = load("isolation")
    if found is None:
        return ""
    rows = [
        ["foreign memories written", f"{found['memories']:,}"],
        ["questions whose order, scores or reasons changed", f"{found['changed']} of {found['questions']}"],
        ["recall before / among them / after upkeep, p50 ms", " / ".join(map(str, found["p50_ms"].values()))],
    ]
    return (
        "## Isolation of tenants\n\nA user with a few hundred memories asks before and after other users wrote theirs; "
        f"answers are compared bit for bit.\n\n{command('isolation')}\n{table(['', ''], rows)}\n"
    )


def _writers(found: dict[str, Any]) -> str:
    names = {
        "stored": "prepared memories (store alone)", "verbatim": "`remember(verbatim=True)`",
        "understood": "`remember`, with everything intake does",
    }  # fmt: skip
    rows = [
        [
            f"{names[mode]}, {who}", found[mode][key]["per_s"], found[mode][key]["client_ms"],
            found[mode][key]["server_ms"],
            "" if key == "one" else found[f"{mode}_{key}_over_one"],
        ]
        for mode in names if mode in found
        for key, who in (("one", "one writer"), ("threads8", "eight threads"), ("processes8", "eight processes"))
    ]  # fmt: skip
    head = ["single durable writes", "a second", "CPU ms, client", "CPU ms, server", "times one writer"]
    return (
        f"{command('writes-postgres')}\n{table(head, rows)}\n\nThe disk took {found['sync_ms']} ms to make a page "
        "lasting, and clients and server shared two cores with other work: compare within the table; one writer and "
        "eight took turns. What waits becomes one transaction, threads of one process (a daemon's callers) by "
        "themselves, processes by handing their writes over: neither syncs for each write any more, so eight are bound "
        "by the processor time in the table, of which two cores have two seconds in a second. What the library does "
        "around a write (`verbatim`: screening, placing, embedding) is the client's and bound by its cores, too.\n"
    )


def _first(found: dict[str, Any]) -> str:
    """What a process that has just begun pays."""
    first = found.get("first_cpu_ms", {}).get("recall")
    if first is None:
        return ""
    return (
        "A process had read what ranking keeps of every memory, as a daemon does before anybody asks, and answered 200 "
        f"questions before its recalls were measured; its first ones cost {first['sqlite']} ms on SQLite and "
        f"{first['postgres']} ms here. "
    )


def on_a_server() -> str:
    """A palace on PostgreSQL beside one in a file."""
    parts = []
    if found := load("writes-postgres"):
        parts.append(_writers(found))
    if found := load("latency-postgres"):
        rows = [[name, one["sqlite"], one["postgres"], found["ratio"][name]] for name, one in found["cpu_ms"].items()]
        head = [f"CPU ms of a call, {found['memories']:,} memories", "SQLite", "PostgreSQL, server included", "times"]
        parts.append(
            f"{command('latency-postgres')}\n{table(head, rows)}\n\nSingle reads are short in a file and a round trip "
            f"on a server. {_first(found)}What a process reads of a text once is paid by who is asked first, "
            "and they took turns at that.\n"
        )
    if found := load("copying-postgres"):
        rows = [
            [way, f"{one['rows']:,}", one["kills"], "clean" if one["verify_clean"] else "not clean", one["cpu_s"]]
            for way, one in (("file to server", found["there"]), ("server to file", found["back"]))
        ]
        head = [f"copy of {found['memories']:,} memories", "rows", "killed on the way", "verify", "CPU s"]
        same = "the same" if found["same_digest"] else "not the same"
        parts.append(f"{command('copying-postgres')}\n{table(head, rows)}\n\nThe digest of every row is {same}.\n")
    if found := load("fence"):
        rows = [[name, found[name]["shown"], found[name]["leaks"]] for name in found if "filter" in name]
        head = [f"{found['readers']:,} readers over {found['memories']:,} memories", "memories shown", "of others"]
        parts.append(f"{command('fence')}\n{table(head, rows)}\n")
    if found := load("safety-postgres"):
        rows = [
            [f"processes killed in {found['seconds']:.0f} s", found["kills"]],
            ["the server killed", found["server_kills"]], ["the Redis beside it killed", found.get("redis_kills", 0)],
            ["memories at the end", f"{found['memories']:,}"],
            ["acknowledged and lost", found["lost"]], ["torn", found["torn"]], ["verify", found["verify"]],
            ["journal", found["journal"]],
        ]  # fmt: skip
        parts.append(f"{command('safety-postgres')}\n{table(['', ''], rows)}\n")
    return "## On a PostgreSQL server\n\n" + "\n".join(parts) if parts else ""


sections: tuple[Callable[[], str], ...] = (growth, stress, isolation, on_a_server)
