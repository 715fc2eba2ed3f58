"""The audit trail's way to disk: denials at once, reads in a buffer that is written within a second; and its anchors.

Owns the buffer, its thread and the keyed hash of questions. Guarantees: a denial is on disk before its caller hears of
it; the line of a read is on disk a second later, when the palace is closed, or when LARGEST lines wait, whichever comes
first, so a killed process loses the lines of its last second of reads and of nothing else (a write has its line in its
own transaction). A buffer that cannot be written is kept and tried again; past MOST lines the oldest give way to one
line that says how many. Invariant: no content reaches a line.

An anchor is what the trail ended with at a moment, signed, to be kept where the palace's writer cannot write. The chain
of hashes finds a line that was altered; who can write the file can also make the whole chain anew, or cut its end with
the count. An anchor kept elsewhere finds both. Its key is made with the first anchor and kept in the palace: the
signature says which palace an anchor is of and that nobody without the palace changed it; in an encrypted palace the
key is as secret as everything else there. Invariant: an anchor has the line, its hash, its time and the palace, and
nothing of what was done.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from palazzo.errors import DiskFull, InvalidInput, PalazzoError, StorageError
from palazzo.files.extras import encryption
from palazzo.model.fork_lock import ForkLock
from palazzo.store.api import AuditHead, AuditLine, Store

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FLUSH_AFTER_S = 1.0
LARGEST = 512
MOST = 20_000


class Trail:
    """The audit trail of one open palace. Threads share it; a forked child begins with an empty buffer."""

    def __init__(self, store: Store, *, in_background: bool) -> None:
        self._store = store
        self._in_background = in_background
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lines: deque[AuditLine] = deque()
        self._limited: dict[tuple[str, str], tuple[AuditLine, int]] = {}
        self._lost = 0
        self._lock = ForkLock()
        self._timer: threading.Timer | None = None
        self._key: bytes | None = None

    @property
    def writable(self) -> bool:
        return not self._store.read_only

    def note(self, line: AuditLine) -> None:
        """Keeps the line of a read for the next flush."""
        if not self.writable:
            return
        self._check_fork()
        with self._lock:
            if line.decision == "limited":
                first, times = self._limited.get((line.subject, line.action), (line, 0))
                self._limited[line.subject, line.action] = (first, times + 1)
            else:
                self._lines.append(line)
            if len(self._lines) > MOST:
                self._lines.popleft()
                self._lost += 1
            due = len(self._lines) >= LARGEST
            if not due and self._in_background and self._timer is None:
                self._timer = threading.Timer(FLUSH_AFTER_S, self._from_timer)
                self._timer.daemon = True
                self._timer.start()
        if due:
            self._try_flush()

    def write(self, line: AuditLine) -> None:
        """Writes a line, and those that wait, before it returns."""
        if self.writable:
            self._check_fork()
            self.flush(line)

    def flush(self, *more: AuditLine) -> None:
        """Writes what waits.

        Raises: StorageError; the lines then wait on.
        """
        if os.getpid() != self._pid:
            self._check_fork()
        with self._lock:
            taken, limited, lost = list(self._lines), self._limited, self._lost
            self._lines.clear()
            self._limited, self._lost = {}, 0
        counted = [replace(line, detail=_json({"times": times})) for line, times in limited.values()]
        lines = [*taken, *counted, *more]
        if lost:
            lines.insert(0, _lost_lines(self._store.clock.now_us(), lost))
        if not lines:
            return
        try:
            self._store.audit.append(lines)
        except StorageError:
            with self._lock:
                self._lines.extendleft(reversed([*taken, *counted]))
                self._lost += lost
            raise

    def _try_flush(self) -> None:
        try:
            self.flush()
        except PalazzoError:
            return  # the lines wait; the next flush, or close, tells

    def _from_timer(self) -> None:
        with self._lock:
            self._timer = None
        self._try_flush()

    def query_hash(self, text: str) -> str:
        """A keyed hash of a question: alike questions can be told, their words cannot."""
        key = self.key()
        if key is None:
            return ""
        return blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=12).hexdigest()

    def key(self) -> bytes | None:
        """The palace's own secret for what is told or written down in other words; None where it cannot be made."""
        self._check_fork()
        if self._key is None:
            self._key = self._store.audit.key()
            if self._key is None and self.writable:
                with suppress(DiskFull):  # the line of a read goes without the hash of its question
                    self._key = self._store.audit.make_key()
        return self._key

    def close(self) -> None:
        """Writes what waits and stops the timer; on a full disk the lines of reads that waited are given up."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None and self._pid == os.getpid():
            timer.cancel()
        with suppress(DiskFull):
            self.flush()

    def _check_fork(self) -> None:
        if os.getpid() != self._pid:
            self._reset()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _lost_lines(now_us: int, lost: int) -> AuditLine:
    return AuditLine(at_us=now_us, subject="operator", action="audit", decision="lost", detail=_json({"lines": lost}))


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
        with encryption():
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))
            key.verify(bytes.fromhex(self.signature), self.signed_part)
        except (ValueError, InvalidSignature):
            return False
        return True


def _private(seed: bytes) -> Ed25519PrivateKey:
    with encryption():
        from cryptography.hazmat.primitives.asymmetric import ed25519  # only anchors need it

    return ed25519.Ed25519PrivateKey.from_private_bytes(seed)


def make(store: Store) -> Anchor:
    """The anchor of the trail as it is on disk.

    Raises: ReadOnlyPalace when the palace has no key for anchors yet and cannot be written.
    """
    seed, head = store.audit.anchor_seed(), store.audit.head()
    if seed is None:
        seed = store.audit.make_anchor_seed()
    private = _private(seed)
    found = Anchor(str(store.id), head.line, head.hash.hex(), head.at_us, private.public_key().public_bytes_raw().hex())
    return msgspec.structs.replace(found, signature=private.sign(found.signed_part).hex())


class _Told(msgspec.Struct, frozen=True):
    """What a surface answered when an anchor was made."""

    anchor: str


def parse_anchors(text: str) -> tuple[Anchor, ...]:
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


def anchor_problems(store: Store, anchors: tuple[Anchor, ...]) -> list[str]:
    """What the trail has become another in since the anchors were made; empty when it only grew."""
    seed, ours = store.audit.anchor_seed(), str(store.id)
    key = _private(seed).public_key().public_bytes_raw().hex() if seed else ""
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
