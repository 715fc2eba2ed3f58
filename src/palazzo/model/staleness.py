"""The words of a staleness caveat, and from which severity on one is shown.

Owns the wording alone, so that an audit in hand and an audit read back from the store say the same. Knows no store:
evidence comes in as it is kept, ids and figures, and the words of the newer memory only from a reader who may see it.
"""

from __future__ import annotations

from collections.abc import Mapping

from palazzo.model.belief import Axes

FLAGGED_ABOVE = 0.7
QUOTED = 120


def caveat(axes: Axes, evidence: Mapping[str, object], newer: str = "") -> str:
    """The line shown beside a flagged memory; `newer` is what the memory that contradicts it says, if it is seen."""
    if "contradicted_by" in evidence and axes.semantic >= axes.behavioral:
        words = " ".join(newer.split())
        short = words if len(words) <= QUOTED else words[: QUOTED - 3].rstrip() + "..."
        return f'may have changed: a newer memory says "{short}"' if short else "may have changed: it is contradicted"
    if "family" in evidence and axes.behavioral > 0:
        return (
            f"may have changed: {evidence['dimension']} was {evidence['count']} of the last {evidence['total']}"
            f" {evidence['family']} events, against {float(str(evidence['asserted'])):.0%} asserted"
        )
    return f"may have changed: it is {float(str(evidence.get('age_days', 0))):.0f} days old"
