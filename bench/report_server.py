"""The section of docs/benchmarks.md about the daemon, from the pinned result in bench/results/."""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load, table


def server() -> str:
    """What the network adds to a recall, and many clients at once."""
    found = load("server")
    if found is None:
        return ""
    alone, crowd = found["one_caller"], found["crowd"]
    wanted = {"library": "", "http": 3, "socket": 1}
    rows = [
        [way, alone[way]["p50_ms"], alone[way]["p99_ms"], alone.get(f"{way}_adds_p50_ms", ""), most]
        for way, most in wanted.items()
    ]
    weighed = [
        [told, " → ".join(str(crowd[f"{key}_{when}"]) for when in ("first", "middle", "last"))]
        for key, told in (
            ("rss_mb", "resident memory, MB: first, middle, last"),
            ("own_mb", "of it the daemon's own, the rest being pages of the palace file and code"),
        )
        if f"{key}_first" in crowd
    ]  # fmt: skip
    together = [
        ["answers a second", crowd["per_second"]], ["p50 / p99, ms", f"{crowd['p50_ms']} / {crowd['p99_ms']}"],
        ["errors", crowd["errors"]], ["processor share of the daemon", crowd["server_cpu_share"]],
        *weighed,
    ]  # fmt: skip
    if "own_mb_per_minute_last_half" in crowd:
        growth = crowd["own_mb_per_minute_last_half"]
        together.append(["growth of its own memory in the second half, MB a minute", growth])
    before = f", after {found['warm_up_s']:.0f} seconds of the same" if "warm_up_s" in found else ""
    return (
        f"## The daemon\n\nThe same cues to a palace of {found['memories']:,} memories by the library, HTTP and the "
        "Unix socket in turn, one caller, so that the machine's load falls on all three alike; then "
        f"{found['clients']} clients at once over HTTP for {found['seconds']:.0f} seconds{before}, each asking again "
        "as soon as it is answered, the load generator on the same two cores.\n\n"
        f"{command('server')}\n"
        f"{table(['one caller', 'p50 ms', 'p99 ms', 'adds to the p50, ms', 'at most'], rows)}\n\n"
        f"{table([str(found['clients']) + ' clients', ''], together)}\n"
    )


def workers() -> str:
    """One worker and several on the same file, in turns."""
    found = load("server-workers")
    if found is None:
        return ""
    rows = [
        [name, one["answers"], one["per_second"], one["cpu_ms_per_answer"], one["cores_used"], one["errors"]]
        for name, one in (("one worker", found["one"]), (f"{found['workers']} workers", found["many"]))
    ]
    head = ["", "answers", "a second", "CPU ms an answer", "cores used", "errors"]
    return (
        f"## Workers\n\n`palazzo serve --workers {found['workers']}` beside one worker, each on a copy of a palace of "
        f"{found['memories']:,} memories in a file, {found['clients']} clients, in slices one after the other.\n\n"
        f"{command('server-workers')}\n{table(head, rows)}\n\n"
        f"By processor time, that is where every worker has a core of its own, {found['by_processor_time']} times the "
        f"answers of one. By the clock it was {found['by_wall_clock']} times; the clients had the same two "
        "cores.\n"
    )


sections: tuple[Callable[[], str], ...] = (server, workers)
