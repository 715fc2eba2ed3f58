"""The report of a dream as Markdown, for people: what was done or would be, memory by memory, how to take it back.

Owns the words. Texts are looked up when it is read, for the reader who reads it. Invariant: what a reader may not see,
or what was erased since, is told by its id alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from palazzo.mind.dream import DreamReport, DreamStep, PassMode
from palazzo.mind.jobs import JobReport
from palazzo.model.zone import moment

Words = Callable[[UUID], tuple[str, str]]
"""The address and the words of a memory; its id and nothing where it is not to be seen."""
_BY_REASON: Final = frozenset({"sum up"})
"""Steps whose reason says it all."""
LONGEST: Final = 110
LISTED: Final = 5
"""Memories of one step that are named; the rest are counted."""
_STATES: Final[Mapping[str, str]] = {
    "made": "done", "proposed": "proposed, nothing is changed", "rolled_back": "taken back by itself",
    "undone": "taken back", "accepted": "proposed, and carried out", "rejected": "proposed, and taken back",
}  # fmt: skip
_HEADS: Final[Mapping[str, tuple[str, str]]] = {
    "gather": ("Gathered: one memory for several that say the same", "Would be gathered: one memory for several"),
    "promote": ("For everybody from now on", "Would be for everybody from now on"),
    "sum up": ("Summed up", "Would be summed up"),
    "learn": ("Learnt: steps that were done again and again", "Would be learnt: steps that were done again and again"),
    "induce": ("Learnt: what is usually known of a thing", "Would be learnt: what is usually known of a thing"),
    "link": ("Linked: memories that are alike", "Would be linked: memories that are alike"),
    "contradict": ("Put before you: memories that compete", "Would be put before you: memories that compete"),
    "strengthen": ("Kept from fading", "Would be kept from fading"),
    "conclude": ("Concluded from links", "Would be concluded from links"),
    "infer": ("Concluded from what is told", "Would be concluded from what is told"),
    "deprecate": ("Given up", "Would be given up"),
    "ask": ("Not asked", "Not asked"),
    "missing": ("Questions about what is not known", "Questions it would keep about what is not known"),
    "contradiction": ("Questions about notes that disagree", "Questions it would keep about notes that disagree"),
    "stale": ("Questions about what may be out of date", "Questions it would keep about what may be out of date"),
    "close": ("Questions that were answered", "Questions that were answered"),
}  # fmt: skip


def in_short(reports: Iterable[DreamReport], since_us: int) -> str:
    """What runs since a moment did, in counts; empty when they changed nothing."""
    made = [one for one in reports if one.state == "made" and one.at_us >= since_us]
    done = Counter(_HEADS.get(step.does, (step.does,))[0] for one in made for step in one.steps if step.state == "made")
    return "; ".join(f"{head[0].lower()}{head[1:]} ({count})" for head, count in done.items())


def markdown(report: DreamReport, words: Words, question: Callable[[DreamStep], str]) -> str:
    """The whole report."""
    when = moment(report.at_us)
    how = "a dry run: nothing is changed" if report.dry else _STATES.get(report.state, report.state)
    assessed = len({one for step in report.steps for one in step.about})
    lines = [
        f"# Dream of {when:%Y-%m-%d %H:%M} UTC",
        "",
        f"{how[0].upper()}{how[1:]}. New events {report.events} | Memories {assessed} | Steps {len(report.steps)}"
        + ("" if report.dry else f" | {report.took_ms} ms"),
        "",
        *(f"- {note}" for note in report.notes),
        *([""] if report.notes else []),
    ]
    if not report.steps:
        lines += ["There was nothing to do.", ""]
    would = report.dry or report.state == "proposed"
    for does, only_proposed in dict.fromkeys((step.does, step.state == "proposed") for step in report.steps):
        some = [one for one in report.steps if (one.does, one.state == "proposed") == (does, only_proposed)]
        lines += _section(some, words, question, would=would or only_proposed)
        if report.dry:
            lines += [_next(some[0], report.modes), ""]
    if report.checked is not None and report.checked.probes:
        lines += ["## Check", "", f"{report.checked.words[0].upper()}{report.checked.words[1:]}.", ""]
    lines += _passes(report)
    if not report.dry:
        lines += [f"Report {report.id}, journal {report.first_seq} to {report.last_seq}.", ""]
        waits = report.id if report.state == "proposed" else report.proposal
        if report.state == "made" and any(step.state == "made" for step in report.steps):
            lines += [f"Take back what was done with `palazzo undo {report.id}`.", ""]
        if waits is not None and any(step.state == "proposed" for step in report.steps):
            lines += [f"Carry out what is proposed with `palazzo dream-apply {waits}`.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _next(step: DreamStep, modes: Mapping[str, PassMode]) -> str:
    """What becomes of such a step of a dry run when it is run in earnest."""
    if modes.get(step.of) == "propose":
        return (
            "`palazzo dream` proposes this and changes nothing; `palazzo dream-apply` with its report carries it out."
        )
    return "`palazzo dream` does this; `palazzo undo` with its report takes it back."


def _passes(report: DreamReport) -> list[str]:
    """Which passes act and which ask first."""
    told = (("Passes that act: ", "on"), ("Passes that only propose: ", "propose"))
    found = [(head, [name for name, mode in report.modes.items() if mode == wanted]) for head, wanted in told]
    said = [f"{head}{', '.join(names)}." for head, names in found if names]
    return [f"{' '.join(said)} The setting `dream_passes` says which.", ""] if said else []


def _section(
    some: Sequence[DreamStep], words: Words, question: Callable[[DreamStep], str], *, would: bool
) -> list[str]:  # fmt: skip
    does = some[0].does
    done, later = _HEADS.get(does, (f"{does[0].upper()}{does[1:]}", f"Would {does}"))
    lines = [f"## {later if would else done} ({len(some)})", ""]
    for step in some:
        asked = question(step)
        lines += _asking(step, asked, words) if asked else _told(step, words, would=would)
    return [*lines, ""]


def _asking(step: DreamStep, asked: str, words: Words) -> list[str]:
    address, text = words(step.about[0])
    return [f"- {asked}{_after(step)}", f"  - `{address}` {_short(text)}".rstrip()]


def _told(step: DreamStep, words: Words, *, would: bool) -> list[str]:
    if step.does in _BY_REASON:
        made = f" (`{words(step.made[0])[0]}`)" if step.state == "made" and step.made else ""
        return [f"- {step.why}{made}{_after(step)}"]
    address, text = words(step.about[0])
    said = f"**{_short(text)}**" if text else f"`{address}`"
    figure = f", agreement {step.figure:.2f}" if step.figure else ""
    if step.does == "gather":
        stands = "would stand" if would else "stands"
        lines = [f"- {said} {stands} for {len(step.about)} memories that say the same{figure}:{_after(step)}"]
    else:
        lines = [f"- {said}: {step.why}{figure}{_after(step)}"]
    for one in step.about[:LISTED]:
        address, text = words(one)
        lines.append(f"  - `{address}` {_short(text)}".rstrip())
    if len(step.about) > LISTED:
        lines.append(f"  - and {len(step.about) - LISTED} more")
    if step.made and step.state == "made":
        lines.append(f"  - made: `{words(step.made[0])[0]}`")
    return lines


def _after(step: DreamStep) -> str:
    if step.state in ("planned", "made", "proposed"):
        return ""
    return f" [{step.state}{': ' + step.note if step.note else ''}]"


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "\u2026"


def told_of(made: DreamReport) -> JobReport:
    """A dream as the table of jobs tells it."""
    counts: dict[str, int] = {}
    for step in made.steps:
        name = step.does if step.state in ("made", "planned") else step.state
        counts[name] = counts.get(name, 0) + 1
    told = (f"report {made.id}: {made.state}",) if made.steps and not made.dry else ()
    return JobReport(counts, (*made.notes, *told))
