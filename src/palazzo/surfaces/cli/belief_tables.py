"""Results of the operations about belief as people see them on a terminal; joined to the others in cli_tables.

Owns the wording around figures and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from palazzo.operations.belief import spec as belief
from palazzo.operations.graph import spec as graph
from palazzo.operations.intake import spec as intake
from palazzo.surfaces.cli.shapes import line, table, when


def _changed(console: Console, found: belief.BeliefChange) -> None:
    for word, said in (("believed", found.added), ("given up", found.dropped), ("believed again", found.reinstated)):
        for one in said:
            line(console, f"{word:15} {one}")
    if not (found.added or found.dropped or found.reinstated):
        line(console, "moved back" if found.touched else "nothing had to change")


def _believed(console: Console, found: belief.Believed) -> None:
    table(console, ("believed", "memory"), ((one.says, one.memory) for one in found))
    line(console, f"{len(found)} of {found.total}, {when(found.at)}")


def _pathway(console: Console, found: graph.Pathway) -> None:
    table(console, ("memory", "address"), ((one.text, one.address) for one in found))
    if not len(found):
        line(console, "no chain of links connects them")


def _stale(console: Console, found: belief.Stale) -> None:
    line(console, found.caveat or "it still holds, as far as can be seen")
    axes = (("semantic", found.semantic), ("temporal", found.temporal), ("behavioral", found.behavioral))
    table(console, ("axis", "figure"), ((name, f"{figure:.2f}") for name, figure in axes))
    line(console, f"together {found.severity:.2f}, flagged above 0.70; confidence {found.confidence:.2f}")


def _claim(console: Console, found: belief.ShownClaim) -> None:
    line(console, f"{found.status}: {found.text}")
    line(console, f"{'id':12} {found.id}")
    for source in found.sources:
        line(console, f"{source.kind:12} {source.reference}")


def _claims(console: Console, found: belief.ClaimList) -> None:
    table(console, ("claim", "says", "status", "by"), ((c.id, c.text, c.status, c.author) for c in found))
    line(console, f"mode {found.mode}")


def _preview(console: Console, found: belief.ClaimPreview) -> None:
    _claim(console, found.claim)
    table(console, ("source", "now"), ((one.reference, one.state) for one in found.sources))
    line(
        console,
        f"state {found.source_state}; {found.recurrence} references of {found.diversity} sorts;"
        f" {found.age_days:.0f} days old; {len(found.conflicts)} conflicts; recommended: {found.recommendation}",
    )
    if found.receipts:
        table(console, ("decided", "when", "by"), ((one.status, when(one.at), one.by) for one in found.receipts))


def _reviewed(console: Console, found: belief.Reviewed) -> None:
    table(console, ("may have changed", "why", "memory"),
          ((one.memory.text, one.caveat, one.memory.id) for one in found.stale))  # fmt: skip
    table(console, ("newer", "says", "older", "said"),
          ((d.newer, d.says, d.older, d.said) for d in found.disagreements))  # fmt: skip
    table(console, ("claim", "says"), ((one.id, one.text) for one in found.claims))
    table(console, ("instruction", "says", "told by"), ((one.id, one.text, one.author) for one in found.instructions))
    if found.instructions:
        line(console, "an instruction of another holds for everybody once you tag it: palazzo tag ID standing")
    if found.due:
        line(console, "a review is due: resolve, settle and decide answer it")


def _audited(console: Console, found: belief.Audited) -> None:
    left = "; more is left" if found.more else ""
    line(
        console,
        "another process is at it" if found.busy else f"{found.audited} looked at, {found.flagged} flagged{left}",
    )


def _resolved(console: Console, found: belief.Resolved) -> None:
    line(console, f"{found.answer.replace('_', ' ')}: {found.memory}, confidence {found.confidence:.2f}")


def _trusted(console: Console, found: belief.Trusted) -> None:
    line(console, f"trust {found.trust:.2f}{'; confirm before relying on it' if found.confirm_first else ''}")


def _product(console: Console, found: graph.ShownProduct) -> None:
    line(console, f"{found.memory.address}, revision {found.memory.revision}: {found.memory.text}")
    table(console, ("file", "where", "state"), ((one.name, one.uri, one.state) for one in found.files))


RENDER: dict[type, Callable[[Console, Any], None]] = {
    belief.BeliefChange: _changed,
    belief.Believed: _believed,
    graph.Pathway: _pathway,
    belief.Stale: _stale,
    belief.ShownClaim: _claim,
    belief.ClaimList: _claims,
    belief.ClaimPreview: _preview,
    belief.ModeSet: lambda console, found: line(console, f"mode {found.mode}"),
    belief.Reviewed: _reviewed,
    belief.Audited: _audited,
    belief.Resolved: _resolved,
    belief.Trusted: _trusted,
    intake.Signalled: lambda console, found: line(console, f"{found.counts} counts added"),
    graph.ShownProduct: _product,
}
