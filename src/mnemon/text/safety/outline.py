"""An outline of a text that must not be read: what sort of thing it is about, in words of our own.

Owns the words for each class of personal data. Never takes a word from the text. Invariant: two texts with the same
kind, classes and topics have the same outline, whatever their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mnemon.text.safety.personal import find_personal

_CLASSES: Final[dict[str, str]] = {
    "email": "email mail address contact", "phone": "phone telephone mobile number contact",
    "address": "home street postal address lives", "ip_address": "network ip address",
    "location": "location coordinates",
    "birth_date": "birthday birth date born", "passport": "passport document number",
    "driver_licence": "driver licence document number", "medical": "health medical",
}  # fmt: skip


def outline(text: str, kind: str, topics: Sequence[str] = ()) -> str:
    """The kind, the classes of personal data and the topics of a text, as words to search by."""
    classes = dict.fromkeys(item.reason for item in find_personal(text))
    return " ".join((kind, *(_CLASSES.get(reason, reason) for reason in classes), *topics))
