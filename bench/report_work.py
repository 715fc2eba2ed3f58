"""The sections of docs/benchmarks.md about work that goes on, from the pinned results continuity (-plain, -typed),
plan-stories (-plain, -typed, -ends), hooks, work and capture.

`sections` gives each section's text; a section whose result is missing is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.pinned import command, load, table

OFFERED = "cancelled_offered_as_open"
ASKED = {
    "facts": "facts told by the page a session begins with, or by recall", "facts_by_recall": "facts by recall alone",
    "decisions": "decisions", "plan_states": "plans whose state is right",
    "plan_states_or_words": "plans whose state is right, or beside which the words stand that decided it",
    OFFERED: "cancelled plans offered as open, of some six in a session",
    "names": "paths, branches and codes to the letter",
}  # fmt: skip
STORIES = {
    "plan-plain": "ended plainly, by name", "plan-typed": "the same as people type to agents",
    "plan-stories": "ended in passing", "plan-ends": "ended without a word in common, or by what follows",
}  # fmt: skip
WAITS = {"session-start": "a session begins", "user-prompt-submit": "before a turn", "stop": "after a turn"}


def _told(name: str, side: dict[str, float]) -> str:
    """A share in percent; of plans that were offered though they were cancelled how many in a session."""
    if name not in side:
        return "-"
    return f"{side[name]:.1f}" if name == OFFERED else f"{100 * side[name]:.1f}"


def continuity() -> str:
    found = load("continuity")
    if found is None:
        return ""
    others = [one["palazzo"] for name in ("plain", "typed") if (one := load(f"continuity-{name}")) is not None]
    sides = (*others, found["palazzo"], found["without"])
    rows = [[words, *(_told(name, side) for side in sides)] for name, words in ASKED.items()]
    head = [
        "share of what was planted, %",
        *("ended plainly", "as typed")[: len(others)],
        "ended in passing",
        "without",
    ]
    return (
        "## Work that goes on\n\nSessions of two hundred turns, compacted three times, ended once and killed once; "
        "plans that are ended plainly (`bench/plan_plain.txt`), as people type to agents (`plan_typed.txt`), and in "
        "passing, mostly without repeating their words (`plan_stories.txt`), of each the half that is only counted. "
        "Beside it a window with its last messages and a summary. "
        "Aim: facts 90, plan states 100, cancelled as open 0.\n\n"
        f"{command('continuity', 'continuity-plain', 'continuity-typed')}\n{table(head, rows)}\n"
    )


def plans() -> str:
    rows = [
        [
            words,
            found["plans"],
            f"{100 * found['right']:.0f}",
            f"{found[OFFERED]} of {found['cancelled']}",
            found["unsure"],
        ]
        for name, words in STORIES.items()
        if (found := load(name)) is not None
    ]
    head = ["plans", "stories", "stand as they should, %", "cancelled ones offered as open", "told as unsure"]
    return (
        "### Plans by themselves\n\nStories of the halves that are only counted, five to a session with talk between. "
        "Those of the last row are by the author of what was learned last, so they flatter it.\n\n"
        f"{command(*STORIES)}\n{table(head, rows)}\n"
        if rows
        else ""
    )


def hooks() -> str:
    found = load("hooks")
    if found is None:
        return ""
    rows = [
        [
            words,
            *(
                f"{found[figure][event][share]:.0f}"
                for figure in ("processor_ms", "waits_ms")
                for share in ("p50", "p95")
            ),
        ]
        for event, words in WAITS.items()
    ]
    return (
        "## Hooks\n\nA client's hook as a process of its own beside a running daemon, "
        f"{found['memories']:,} memories; milliseconds. Processor time is of the hook and of the daemon; the wait was "
        "measured with nothing beside it. Aim: p95 of 150 before and 250 after a turn.\n\n"
        f"{command('hooks')}\n"
        f"{table(['when', 'processor p50', 'processor p95', 'wait p50', 'wait p95'], rows)}\n"
    )


def work() -> str:
    found = load("work")
    if found is None:
        return ""
    parts = {
        "checkpoint": f"a checkpoint saved and read back, thread of {found['turns']} turns (aim 200)",
        "switch": "from one agent's mind to another's, saved and read back (aim 200)",
        "metabolism": "what `seal` weighs at a turn's end (aim 5)",
    }
    rows = [
        [
            words,
            *(
                f"{found[name][figure][share]:.1f}"
                for figure in ("processor_ms", "wall_ms")
                for share in ("p50", "p95")
            ),
        ]
        for name, words in parts.items()
    ]
    burst = found["burst"]
    return (
        "## What it costs\n\nMilliseconds by the processor and by the clock, the latter while other work filled the "
        f"machine.\n\n{command('work')}\n"
        f"{table(['what', 'processor p50', 'processor p95', 'clock p50', 'clock p95'], rows)}\n\n"
        f"Slots lost in {found['switch']['switches']} switches: {found['switch']['slots_lost']}. A burst of "
        f"{burst['writes']} single writes over HTTP from eight connections, as a workflow engine sends them: "
        f"{burst['acknowledged']} acknowledged, {burst['kept']} kept, {burst['writes_per_processor_s']:.0f} in a "
        f"second of the daemon's processor time and {burst['writes_per_s']:.0f} by the clock (aim 50).\n"
    )


ASKED_OF = ("work", "server", "stress")
"""The results that what was asked of work is held against."""
Kept = tuple[str, str, str, bool]


def kept() -> list[Kept]:
    """What was asked of work and of the memory it takes: what, the bound, the figure, whether it is reached."""
    work, server, stress = (load(name) or {} for name in ASKED_OF)
    burst = work["burst"]
    lost = burst["writes"] - min(burst["acknowledged"], burst["kept"])
    cost = {
        "a checkpoint saved and read back, p95 by processor": ("checkpoint", 200),
        "an agent's mind saved and read back, p95 by processor": ("switch", 200),
        "what seal weighs at the end of a turn, p95 by processor": ("metabolism", 5),
    }
    peak = max(server["crowd"][f"rss_mb_{when}"] for when in ("first", "middle", "last"))
    rate = {
        "writes of a burst in a second of the processor": burst["writes_per_processor_s"],
        "writes of a burst in a second by the clock": burst["writes_per_s"],
    }
    memory = {
        f"memory of a daemon with {server['memories']:,} memories and {server['clients']} clients": peak,
        f"memory while {stress['turns_per_minute']:,} turns a minute come, {stress['memories']:,} memories":
        stress["rss_mb"],
    }  # fmt: skip
    return [
        ("writes of a burst that were lost", "0", f"{lost}", lost == 0),
        *((what, "50", f"{per_s:.0f}", per_s >= 50) for what, per_s in rate.items()),
        *(
            (what, f"{most} ms", f"{(ms := work[name]['processor_ms']['p95']):.1f} ms", ms <= most)
            for what, (name, most) in cost.items()
        ),
        *((what, "350 MB", f"{mb:.0f} MB", mb <= 350) for what, mb in memory.items()),
    ]


def capture() -> str:
    found = load("capture")
    if found is None:
        return ""
    rows = [
        [shell, f"{wall:.1f}", f"{found['prompt_cpu_p99_ms'][shell]:.1f}"]
        for shell, wall in found["prompt_p99_ms"].items()
    ]
    head = [
        "what the hook adds to a prompt, ms",
        "p99, the worst of daemon up, down and hung",
        "of it in the processor",
    ]
    came_back = "came back as it was" if found["compared"] else "did not come back as it was"
    return (
        "## Capture\n\nLines typed in turn into a shell with the hook and into one without; 10,000 events an hour; a "
        "workspace of tmux, Neovim and git. Aim: 5 ms at the prompt, 2% of a core, a snapshot of 2 to 5 KB in 300 ms."
        f"\n\n{command('capture')}\n{table(head, rows)}\n\n"
        f"Events take {found['cpu_share']:.2%} of a core ({found['events_per_s']:.0f} a second at most); the snapshot "
        f"took {found['snapshot_ms']:.0f} ms (p99) and {found['snapshot_bytes']:,} bytes, and {came_back} in "
        f"{found['restore_ms']:.0f} ms.\n"
    )


sections: tuple[Callable[[], str], ...] = (continuity, plans, hooks, work, capture)
