"""Anchors: what the audit trail ended with at a moment, signed, to be kept where the palace's writer cannot write.

Owns the form of an anchor and the comparison with the trail. The chain of hashes finds a line that was altered; who can
write the file can also make the whole chain anew, or cut its end with the count. An anchor kept elsewhere finds both.
Its key is made with the first anchor and kept in the palace: the signature says which palace an anchor is of and that
nobody without the palace changed it; in an encrypted palace the key is as secret as everything else there. Invariant:
an anchor has the line, its hash, its time and the palace, and nothing of what was done.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from palazzo.errors import InvalidInput
from palazzo.store.api import AuditHead, Store

MOST_BYTES = 1 << 20


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the trail ended with: the number, hash and time of the last line, for one palace; hashes in hexadecimal."""

    palace: str
    line: int
    hash: str
    at_us: int
    key: str
    signature: str = ""

    @property
    def text(self) -> str:
        """The anchor on one line."""
        return msgspec.json.encode(self).decode()

    @property
    def signed_part(self) -> bytes:
        return b"palazzo audit anchor 1\n" + msgspec.json.encode(msgspec.structs.replace(self, signature=""))

    @property
    def holds(self) -> bool:
        """Whether the signature is that of the key it names."""
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))
            key.verify(bytes.fromhex(self.signature), self.signed_part)
        except (ValueError, InvalidSignature):
            return False
        return True


def make(store: Store) -> Anchor:
    """The anchor of the trail as it is on disk.

    Raises: ReadOnlyPalace when the palace has no key for anchors yet and cannot be written.
    """
    seed, head = store.audit.anchor_seed(), store.audit.head()
    if seed is None:
        seed = store.audit.make_anchor_seed()
    private = Ed25519PrivateKey.from_private_bytes(seed)
    found = Anchor(str(store.id), head.line, head.hash.hex(), head.at_us, private.public_key().public_bytes_raw().hex())
    return msgspec.structs.replace(found, signature=private.sign(found.signed_part).hex())


class _Told(msgspec.Struct, frozen=True):
    """What a surface answered when an anchor was made."""

    anchor: str


def parse(text: str) -> tuple[Anchor, ...]:
    """Anchors, one a line, each as it is or inside the answer that told it.

    Raises: InvalidInput.
    """
    found = tuple(_parsed(line) for line in text.splitlines() if line.strip())
    if not found:
        raise _no_anchor()
    return found


def _parsed(line: str) -> Anchor:
    try:
        if '"anchor"' in line:
            line = msgspec.json.decode(line, type=_Told).anchor
        return msgspec.json.decode(line, type=Anchor)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise _no_anchor() from error


def _no_anchor() -> InvalidInput:
    return InvalidInput(
        "this is no anchor of an audit trail", field="anchor", hint="make one with `palazzo audit anchor`"
    )


def problems(store: Store, anchors: tuple[Anchor, ...]) -> list[str]:
    """What the trail has become another in since the anchors were made; empty when it only grew."""
    seed, ours = store.audit.anchor_seed(), str(store.id)
    key = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex() if seed else ""
    found: list[str] = []
    for anchor in anchors:
        if not anchor.holds:
            found.append(f"anchor of line {anchor.line}: its signature does not fit, it was altered")
        elif anchor.palace != ours:
            found.append(f"anchor of line {anchor.line}: it is of another palace")
        elif anchor.key != key:
            found.append(f"anchor of line {anchor.line}: it is signed with another key than this palace has")
        elif said := _against(anchor, store.audit.head(), store.audit.hash_of(anchor.line)):
            found.append(said + _made_anew(store.audit.renewals(anchor.line)))
    return found


def _against(anchor: Anchor, head: AuditHead, now: bytes | None) -> str:
    if anchor.line == 0 or (now is not None and now.hex() == anchor.hash):
        return ""
    seen = datetime.fromtimestamp(anchor.at_us / 1_000_000, UTC).isoformat(timespec="seconds")
    if anchor.line > head.line:
        return f"audit: the trail ends with line {head.line}; the anchor saw line {anchor.line} of {seen}: it was cut"
    return f"audit: line {anchor.line} is not the one of {seen} that the anchor saw: the trail was written anew"


def _made_anew(lines: tuple[int, ...]) -> str:
    """What the trail itself says about having been made anew, for a person to weigh."""
    if not lines:
        return ""
    told = ", ".join(map(str, lines))
    return f"; an erasure that replaced names says in line {told} that it made the chain anew: take a new anchor then"
