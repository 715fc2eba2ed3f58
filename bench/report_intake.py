"""The intake sections of docs/benchmarks.md, from the pinned results bench/results/intake-*.json.

`sections` gives each section's text; a section whose result is missing is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.pinned import command, load, table

NAMES = {
    "automemorybench": "AutoMemoryBench", "halumem": "HaluMem", "beam": "BEAM 100K", "together": "together",
    "locomo": "LoCoMo", "beam_users": "BEAM, user turns",
}  # fmt: skip


def _share(found: dict[str, Any]) -> str:
    """A share as "88.2% (45 of 51; 76.6 to 94.5)"."""
    if not found["of"]:
        return "-"
    low, high = (100 * end for end in found["interval"])
    return f"{100 * found['hits'] / found['of']:.1f}% ({found['hits']} of {found['of']}; {low:.1f} to {high:.1f})"


def supersession() -> str:
    found = load("intake-supersession")
    if found is None:
        return ""
    rows = [
        [NAMES[name], _share(row["superseded"]), _share(row["wrong"]), _share(row["precision"])]
        for name, row in found.items()
    ]
    head = ["corpus", "labelled updates superseded", "wrong, of memories made", "labelled, of superseded"]
    return (
        "## Intake: what replaces what\n\nTurns observed (HaluMem: memory points remembered) in order through the "
        "engine. An update counts when the newer turn superseded a memory of the older one; wrong are supersessions "
        "without a label, over all memories made; many of those in BEAM and HaluMem are updates nobody labelled. "
        "Share, counts and 95% interval. Must reach: at least 80%, wrong under 3%.\n\n"
        f"{command('intake-supersession')}\n"
        f"{table(head, rows)}\n"
    )


def duplicates() -> str:
    found = load("intake-duplicates")
    if found is None:
        return ""
    rows = [
        ["near-exact pairs missed", _share(found["missed_duplicates"]), "under 5%"],
        ["near-miss pairs merged", _share(found["false_merges"]), "under 1%"],
    ]
    return (
        "## Intake: duplicates\n\nThe pairs of `bench/duplicates.py`, the first text remembered, then the second, in a "
        "scope of their own; skipped or merged counts as a duplicate.\n\n"
        f"{command('intake-duplicates')}\n"
        f"{table(['', 'share, counts, 95% interval', 'must reach'], rows)}\n"
    )


def junk() -> str:
    found = load("intake-junk")
    if found is None:
        return ""
    rows = [
        ["stored propositions that are filler", _share(found["filler"]), "under 5%"],
        ["gold evidence turns reachable", _share(found["evidence_reachable"]), "at least 95%"],
        ["gold evidence turns with a memory of their own", _share(found["evidence_drawn"]), ""],
    ]
    return (
        f"## Intake: junk\n\n{found['turns']:,} turns of LoCoMo observed; {found['propositions']:,} propositions "
        "became memories. Filler is judged by the check of `bench/propositions.py`, which shares no word list with the "
        "splitter.\n\n"
        f"{command('intake-junk')}\n{table(['', 'share, counts, 95% interval', 'must reach'], rows)}\n"
    )


def screen() -> str:
    found = load("intake-screen")
    if found is None:
        return ""
    rows = [[NAMES[name], _share(row["refused"]), _share(row["flagged"])] for name, row in found.items()]
    return (
        "## Intake: ordinary talk that is refused\n\nTurns observed; refused or flagged is a turn with at least one "
        "such sentence. Must reach: under 0.2% of LoCoMo's turns refused.\n\n"
        f"{command('intake-screen')}\n"
        f"{table(['turns', 'refused', 'flagged'], rows)}\n"
    )


def speed() -> str:
    found = load("intake-speed")
    if found is None:
        return ""
    rows = [
        [f"{said}, turns a second", found[name]["per_s"], found[name]["per_cpu_s"], found[name]["memories_per_turn"]]
        for name, said in (
            ("remember_many", "`remember_many`"),
            ("verbatim", "`remember_many`, `verbatim`"),
            ("observe", "`observe`"),
        )
        if name in found  # a result of an earlier day has none of `verbatim`
    ]
    single = found["remember"]
    return (
        f"## Intake: speed\n\nLoCoMo's {found['turns']:,} turns in batches of 500, built-in embedder, durable, "
        "archive on, one process; per second of wall clock and per second of this process's CPU.\n\n"
        f"{command('intake-speed')}\n"
        f"{table(['', 'per second', 'per CPU second', 'memories per turn'], rows)}\n\n"
        f"One `remember` call, durable: p50 {single['p50_ms']} ms, p95 {single['p95_ms']} ms, of which CPU (p50) "
        f"{single['p50_cpu_ms']} ms; the rest is waiting for the disk.\n"
    )


def _rate(found: dict[str, Any]) -> str:
    """A rate as "100.0% (61 of 61; 94.1 to 100.0)"."""
    low, high = 100 * found["low"], 100 * found["high"]
    return f"{100 * found['rate']:.1f}% ({found['n']} of {found['of']}; {low:.1f} to {high:.1f})"


def secrets() -> str:
    found = load("intake-secrets")
    if found is None:
        return ""
    noren, presidio = found["noren_secrets"], found["presidio_secrets"]
    rows = [
        ["pii_noren: labelled secrets and cards found", _rate(noren["recall"])],
        ["pii_noren: gone from the text that is kept", _rate(noren["removed"])],
        ["pii_noren: findings that are secrets, every finding read", _rate(noren["precision_adjudicated"])],
        ["pii_noren: findings that the labels name", _rate(noren["precision_as_labelled"])],
        *([f"pii_presidio: {name} found", _rate(row)] for name, row in presidio["recall"].items()),
        *([f"pii_presidio: {name} right", _rate(row)] for name, row in presidio["precision"].items()),
        ["LoCoMo turns refused", _rate(found["locomo"]["refused"])],
    ]
    return (
        "## Intake: secrets\n\nA secret never reaches the store. pii_noren's labels leave out credentials that its own "
        f"detector does not know: {noren['precision_adjudicated']['n'] - noren['precision_as_labelled']['n']} findings "
        "outside the labels are whole keys, tokens, session ids, webhook and signed addresses that the sample's own "
        "words announce. They are refused (docs/decisions/0015), so precision is given both ways. 95% Wilson. Must "
        "reach: recall 98% at precision 95%; LoCoMo under 0.2%.\n\n"
        f"{command('intake-secrets')}\n"
        f"{table(['what', 'share'], rows)}\n"
    )


def dates() -> str:
    found = load("intake-dates")
    if found is None:
        return ""
    rows = [
        [
            name, row["n"], f"{100 * row['rate']:.1f}%", "-".join(f"{100 * end:.1f}" for end in row["interval95"]),
            f"{100 * row['as_labelled'] / row['n']:.1f}%",
        ]
        for name, row in {"dates and periods": found["date_and_period"], "all": found["all"], **found["files"]}.items()
    ]  # fmt: skip
    return (
        "## Intake: dates in prose\n\nEnglish expressions of Recognizers-Text resolved exactly against their reference "
        "dates. Three conventions are allowed for: the labels end a range at the beginning of its last day, ours after "
        'it; "after day B" begins at B there, after B here; a side that is now carries no time of day there. The last '
        "column counts without these. Must reach: 85% of dates and periods.\n\n"
        f"{command('intake-dates')}\n"
        f"{table(['set', 'n', 'exact', '95%', 'to the letter of the labels'], rows)}\n"
    )


sections: tuple[Callable[[], str], ...] = (secrets, dates, supersession, duplicates, junk, screen, speed)
