"""Stage 6, anticipate: situations to come in which a memory will matter, indexed with it.

Owns nothing but the call: the situations are the text room's, or a completer's when one is configured.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from palazzo.intake.drafts import Draft
from palazzo.text.meaning.prospects import prospects


def anticipate(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts with their situations; verbatim turns have none."""
    return [
        draft if draft.whole or draft.prospects else replace(draft, prospects=prospects(draft.statement, draft.kind))
        for draft in drafts
    ]
