"""The section of docs/benchmarks.md about the mind, and what was asked of each of its figures.

Invariant: what `kept` says was measured by a pinned result; a test holds every line of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.pinned import command, load, table

CORPORA = ("locomo", "beam", "devmembench", "life")
RESULTS = (
    *(f"mind-{name}" for name in CORPORA),
    "mind-busy-life",
    "mind-known",
    "mind-pace",
    "mind-year",
    "mind-promised",
)
LOSS = 0.5
"""Points of any answer that a pass may cost."""
ANSWERS = ("answer@10", "update", "abstention")
Line = tuple[str, str, str, bool]
"""What was asked, the bound, the figure, and whether it holds."""


def _corpora() -> dict[str, dict[str, Any]]:
    """Each corpus with what every pass gave on it."""
    found = {name: load(f"mind-{name}") for name in (*CORPORA, "busy-life")}
    return {name: result[name.removeprefix("busy-")] for name, result in found.items() if result}


def _answers() -> Iterator[Line]:
    rows = _corpora()
    for name, passes in rows.items():
        lost = {
            (which, key): -row[f"{key}_points"]
            for which, row in passes.items() if which != "none" for key in ANSWERS
        }  # fmt: skip
        worst = max(lost, key=lambda one: lost[one])
        figure = f"{max(0.0, lost[worst]):.1f} points"
        yield f"{name}: what any pass costs of any answer", f"{LOSS} points", figure, lost[worst] <= LOSS
        held = sum(row["held_back"] for row in passes.values())
        yield f"{name}: held back because too much would be given up", "0", f"{held:.0f}", not held
    least = {
        name: min(row.get("context_tokens_share", 1.0) for row in passes.values()) for name, passes in rows.items()
    }
    if "life" in least:  # elsewhere hardly anything is said again
        best = min(least, key=lambda one: least[one])
        told = f"{least[best]:.2f} on {best}"
        yield "tokens of context for the same answers, of those without the mind", "0.67", told, least[best] <= 2 / 3


def _lives() -> Iterator[Line]:
    for found in (load("mind-life"), load("mind-busy-life")):
        if found:
            yield from _life(found)


CLOCK = "the same by the clock of a machine that others share"
UNREAD = "the same with the largest domains first, the question unread"
MISSED = frozenset({CLOCK, UNREAD})
"""What is known to miss what was asked, and is printed as that."""


def _life(found: dict[str, Any]) -> Iterator[Line]:
    both = list(zip(found["life_without_the_mind"], found["life_with_the_mind"], strict=True))
    for without, with_mind in both:
        figure = f"{with_mind['answer@10']:.3f}, {without['answer@10']:.3f} without"
        day = f"{found['days']} days of {found['events']} events, day {without['day']}"
        fine = with_mind["answer@10"] >= without["answer@10"]
        yield f"{day}: answer@10", "no lower than without the mind", figure, fine
    first, last = both[0][1], both[-1][1]
    growth = (last["bytes"] / last["memories"]) / (first["bytes"] / first["memories"])
    more = last["bytes"] / both[-1][0]["bytes"]
    events = f"{found['events']} events a day"
    yield (
        f"{events}: bytes for a memory on the last day, of those on the first asked",
        "1.1",
        f"{growth:.2f}",
        growth <= 1.1,
    )
    yield f"{events}: the file, of that without the mind", "1.5", f"{more:.2f}", more <= 1.5


def _pace() -> Iterator[Line]:
    found = load("mind-pace")
    if not found:
        return
    per, recall = found["found_per_thousand"], found["recall"]
    most = (
        ("consolidate over 10,000 memories, CPU seconds", 20.0, found["consolidate_cpu_s"]),
        ("the tree, CPU seconds", 5.0, found["tree_cpu_s"]),
        ("an update of it, CPU seconds", 0.2, found["update_cpu_s"]),
        ("slowest recalls beside a pass, of those in quiet, by CPU", 1.5, recall["ratio"]["cpu_p99_ms"]),
        (CLOCK, 1.5, recall["ratio"]["p99_ms"]),
    )
    least = (
        ("memories exchanged a second", 100.0, found["exchanged_a_second"]),
        ("new links for a thousand memories", 5.0, per["replay: link"]),
        ("conclusions for a thousand memories", 10.0, per["infer: infer"]),
    )
    yield from ((what, f"at most {bound:g}", f"{figure:g}", figure <= bound) for what, bound, figure in most)
    yield from ((what, f"at least {bound:g}", f"{figure:g}", figure >= bound) for what, bound, figure in least)


def _year() -> Iterator[Line]:
    year = (load("mind-year") or {}).get("summed_up")
    if year:
        for what, key in (("the first recall", "first_recall_cpu_ms"), ("recall, p99", "recall_cpu_p99_ms")):
            told = f"{year['exchanges']:,} exchanges and their summaries, {what}, CPU ms"
            yield told, "at most 100", f"{year[key]:g}", year[key] <= 100


def _known() -> Iterator[Line]:
    found = load("mind-known")
    if found:
        stated = found["locomo_confidence"]
        for name, label in (("all", "every conversation"), ("apart", "those that were not looked at")):
            figure = stated[name]["domains"]["correlation"]
            yield f"stated confidence with answer@10 by domain, {label}", "at least 0.6", f"{figure:.2f}", figure >= 0.6
        paragraph = found["locomo_paragraph"]
        share, tokens = paragraph["share_of_ndcg"], paragraph["share_of_tokens"]
        yield (
            "domains in the order the paragraph's words give, NDCG, of that of full recall",
            "at least 0.7", f"{share:.2f}", share >= 0.7,
        )  # fmt: skip
        if (unread := paragraph.get("ndcg_largest_first")) is not None:
            size = unread / max(1e-9, paragraph["ndcg_full"])
            yield UNREAD, "less than that", f"{size:.2f}", size < share
        yield "its tokens, of those of full recall", "at most 0.02", f"{tokens:.4f}", tokens <= 0.02
        yield "domains it names", "at least 0.8", f"{paragraph['named']:.2f}", paragraph["named"] >= 0.8
    found = load("mind-promised")
    if found:
        gathered = found["wordings"]["gathered"]
        yield "fifty wordings of one wish, gathered in one memory", "50", str(gathered), gathered == 50
        yield from _competing(found["interference"])
        precision = found["metadata"]["precision"]
        yield "what is read out of a hundred texts and right", "at least 0.9", f"{precision:.2f}", precision >= 0.9


def _competing(found: Any) -> Iterator[Line]:
    """Of the pairs that are said to compete those that do, and of those that do those that are found."""
    labelled = [(f"labelled, {which}", told["judged"]) for which, told in found["labelled"].items()]
    for label, told in (("generated", found["all"]), ("a life, placed as it is", found["life"]["placed"]), *labelled):
        of = f"{told['right']} of {told['flagged']}, which are {told['recall']:.2f} of those there are"
        yield f"pairs said to compete that do, {label}", "at least 0.8", of, told["precision"] >= 0.8
    told = found["life"]["told"]["flagged"]
    yield "pairs said to compete of a life that is told, where intake has settled them", "0", str(told), not told


def kept() -> list[Line]:
    """Every figure that was asked of the mind, with what the pinned results say of it."""
    return [*_answers(), *_lives(), *_pace(), *_year(), *_known()]


def mind() -> str:
    """What was asked of the mind and what it gives; the ablation of its passes."""
    lines = kept()
    if not lines:
        return ""
    rows = [[what, bound, figure if fine else f"**{figure}**"] for what, bound, figure, fine in lines]
    corpora = _corpora()
    names = list(dict.fromkeys(name for passes in corpora.values() for name in passes))
    tokens = [
        [name, *(f"{passes[name].get('context_tokens_share', 1.0):.2f}" for passes in corpora.values())]
        for name in names if name != "none"
    ]  # fmt: skip
    answers = [
        [key, *(_share(passes["none"][key]) for passes in corpora.values())]
        for key in (*ANSWERS, "answer_in_context")
    ]  # fmt: skip
    return (
        "## The mind\n\nDreams: every pass alone, those on by default and all together over copies of the same "
        "palaces, with the check on; how recalls fare beside them; a life of ninety days with and without them "
        "([mind](mind.md) tells what each pass does). A figure in bold misses what was asked.\n\n"
        f"{command(*RESULTS)}\n{table(['what', 'asked', 'measured'], rows)}\n\n"
        f"{table(['tokens of context, of those without the mind', *corpora], tokens)}\n\n"
        f"{table(['answers without the mind', *corpora], answers)}\n"
    )


def _share(value: float) -> str:
    return "" if value < 0 else f"{value:.3f}"


sections: tuple[Callable[[], str], ...] = (mind,)
