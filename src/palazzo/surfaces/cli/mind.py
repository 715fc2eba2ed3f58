"""What people see of dreams, of the questions they keep, and of what the palace knows about itself.

Owns how these results are written. A report is Markdown already and is printed as it is.
"""

from __future__ import annotations

from palazzo.operations.mind import spec as mind
from palazzo.operations.talk import spec as talk
from palazzo.surfaces.cli.shapes import Render, line, rows, saying, table, when
from palazzo.surfaces.cli.sheet import Sheet


def _dreams(console: Sheet, found: mind.DreamList) -> None:
    if not len(found):
        line(console, "no dream left a report yet")
    for one in found:
        line(console, one.markdown)


def _unfolded(console: Sheet, found: mind.Unfolded) -> None:
    line(console, found.summary)
    if found.parts:
        table(console, ("part", "memories", "about"), ((one.node, one.memories, one.label) for one in found.parts))
    table(console, ("memory", "address"), ((one.text, one.address) for one in found))


def _summaries(console: Sheet, found: mind.SummaryList) -> None:
    if not len(found):
        line(console, "nothing is summed up yet: `palazzo dream` does, for days that are over")
    for one in found:
        line(console, one.text)
        line(console, f"  {one.level} {one.first}, made of {one.sources}: palazzo unfold {one.id}")


def _received(console: Sheet, found: talk.Delivered) -> None:
    table(console, ("from", "memory", "address"),
          ((by, one.text, one.address) for by, one in zip(found.sources, found, strict=False)))  # fmt: skip
    for clash in found.conflicts:
        line(console, f"{clash.memory} and {clash.other} differ; {clash.holds} holds for now: {clash.why}")
    for why in found.refused:
        line(console, f"not taken in: {why}")
    if found.more:
        line(console, "there is more")


RENDER_MIND: dict[type, Render] = {
    mind.Dreamt: saying(lambda f: f.markdown),
    mind.DreamList: _dreams,
    mind.GapList: rows(("question", "why", "gap", "again"), lambda g: (g.question, g.sort, g.id, when(g.again_at))),
    mind.Pruned: saying(
        lambda f: f"{f.name}: {f.removed} removed, {f.unlinked} unlinked, {f.restored} restored, {f.closed} closed"
    ),
    talk.Publication: saying(lambda f: f"published {f.memories}"),
    talk.ShownSubscription: saying(lambda f: f"subscribed: {f.id}"),
    talk.SubscriptionList: rows(
        ("subscription", "topics", "from", "importance"),
        lambda s: (s.id, ", ".join(s.topics), ", ".join(s.sources), s.min_importance),
    ),
    talk.Delivered: _received,
    mind.KnownCue: saying(lambda f: f"{f.verdict} ({f.confidence:.2f}). {f.line}"),
    mind.Unfolded: _unfolded,
    mind.SummaryList: _summaries,
    mind.ShownGap: saying(lambda f: f"{f.question} Asked; it rests for a week."),
}
