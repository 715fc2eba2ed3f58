"""Whose word it is: the asker's own, the owner's, or somebody else's, who instructs nobody by having written it.

Owns the rule and the tag of an approval. Knows no storage. Invariant: what another subject wrote acts on nobody until
the operator approved that very revision.
"""

from __future__ import annotations

from palazzo.model.memory import Memory

OWNER = "operator"
STANDING_TAG = "standing"
"""Set by the operator alone: the instruction or procedure at this revision holds for everybody who sees it."""
ACTING = ("instruction", "procedure")
"""Kinds that say what is to be done, and how."""


def by_another(memory: Memory, asker: str) -> str:
    """The subject that wrote a memory if it is neither who asks nor the owner; a speaker the owner heard is neither."""
    content = memory.revision.content
    author = content.author
    if author in ("", OWNER, asker) or (":" not in author and author == content.detail.speaker):
        return ""
    return author
