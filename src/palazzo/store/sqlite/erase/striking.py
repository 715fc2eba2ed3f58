"""Striking out of verbatim turns what was erased: a statement drawn from a turn must not live on in the turn.

Owns the one exception to the rule that a revision never changes. The struck letters become blocks, so positions stay
true; what was derived from the turn's text (sizes, index entry, wording key, vector) is made from what is left or
removed. Invariant: nothing but the named stretches is altered.
"""

from __future__ import annotations

from typing import Any

from palazzo.model.memory import RevisionDraft, Tier
from palazzo.store.index.text import index as text_index
from palazzo.store.index.vector import vectors
from palazzo.store.sqlite import digests, fields
from palazzo.store.sqlite.memory import memories
from palazzo.store.sqlite.reading import bound
from palazzo.store.sqlite.seal.sealing import opened, sealed
from palazzo.store.sqlite.writing import SqliteWriting

STRUCK = "█"


def strike(writing: SqliteWriting) -> None:
    """Strikes the stretches of purged memories out of the turns that still hold them."""
    stretches: dict[int, list[tuple[int, int]]] = {}
    for node, start, end in writing.purged.stretches:
        stretches.setdefault(node, []).append((start, end))
    rows: list[Any] = writing.connection.execute(
        f"""SELECT s.node, s.span_start, s.span_end, r.id, m.scope, {opened("r.text", "r.id")},
                   {opened("r.detail", "r.id")}, iif(typeof(r.text) = 'blob', m.tier, 'clear')
            FROM carray(?) c JOIN provenance_source s ON s.node = c.value JOIN revision r ON r.id = s.revision
            JOIN memory m ON m.id = r.memory WHERE m.kind = ? AND s.span_start IS NOT NULL""",
        (bound(sorted(stretches)), fields.TURN_KIND),
    ).fetchall()
    for node, first, last, revision, scope, text, detail, tier in rows:
        left = text
        for start, end in stretches[node]:
            if start < last and first < end:
                left = _struck(left, max(start, first) - first, min(end, last) - first)
        if left != text:
            draft = RevisionDraft(text=left, detail=memories.detail_from(detail))
            _replace(writing, (scope, revision), draft, tier)


def _struck(text: str, start: int, end: int) -> str:
    return text[:start] + STRUCK * (min(end, len(text)) - start) + text[end:]


def _replace(writing: SqliteWriting, row: tuple[int, int], draft: RevisionDraft, tier: Tier) -> None:
    """The tier is that of a sealed revision; "clear" for one that is not sealed."""
    scope, revision = row
    connection, cipher = writing.connection, writing.cipher if tier != "clear" else None
    rows = [(partition, revision) for partition in fields.partitions(scope)]
    text_index.remove(writing.tables, rows)
    vectors.remove(writing.tables, rows)
    found = memories.hash_of(draft.text, fields.TURN_KIND)
    connection.execute(
        "UPDATE revision SET text = ?, summary = NULL, key_fact = NULL, label = NULL, hash = ? WHERE id = ?",
        (sealed(cipher, draft.text, revision), found if cipher is None else cipher.mark(found), revision),
    )
    digests.renew(connection, revision, cipher)
    kind = fields.TURN_KIND
    terms = fields.indexed_terms(draft, kind) if cipher is None else fields.sealed_terms(draft, kind, tier)
    text_index.add(writing.tables, [(fields.partition(scope, field), revision, words) for field, words in terms])
