"""Context providers of plugins: what they add to the contexts models read, section by section.

Owns asking each and what is said when one fails. Knows nothing of contexts beyond the names of sections. Invariants: a
provider that fails or names no section is told of and gone without; what it gives is never stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from palazzo.adapters.plugins import BROKEN
from palazzo.ports import ContextProvider

SECTIONS: Final = ("identity", "today", "roster", "schemas", "skills")


def provided(providers: Sequence[ContextProvider], message: str) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """The text of each section for a message, and which provider gave none and why."""
    texts: dict[str, str] = {}
    failed: list[tuple[str, str]] = []
    for provider in providers:
        if provider.section not in SECTIONS:
            failed.append((provider.name, f"its section is none of {', '.join(SECTIONS)}"))
            continue
        try:
            text = provider.provide(message).strip()
        except BROKEN as error:
            failed.append((provider.name, type(error).__name__))
            continue
        if text:
            texts[provider.section] = "\n".join(filter(None, (texts.get(provider.section), text)))
    return texts, tuple(failed)
