"""Proposals from repeated friction, and bundles of turns that may leave for research.

Owns when friction is repeated, and what a bundle says of itself. Invariants: three equal failures give one proposal;
nothing is applied; a bundle keeps hashes and counts, and its turns are read again when it is written; what holds a
secret makes none; nothing is written that nobody approved, or that is no longer what was approved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from palazzo.errors import Conflict, Refused
from palazzo.model.slip import Slip, SlipKind
from palazzo.persona.bridge import Ran
from palazzo.persona.slips import ScopedSlips, told_of
from palazzo.persona.work import SaidTurn
from palazzo.text.safety.personal import find_personal
from palazzo.text.safety.secrets import find_secrets

REPEATED: Final = 3


class ProposalTold(msgspec.Struct, frozen=True, kw_only=True):
    """A reviewable change: what speaks for it, what it is, what it is to bring, how that is seen, and the way back."""

    thread: str
    evidence: tuple[str, ...]
    change: str
    effect: str
    verification: str
    rollback: str


class BundleTold(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle says of itself."""

    thread: str
    turns: int
    sha256: str
    personal: int
    training: bool = False


class Research(ScopedSlips):
    """The proposals and bundles of one scope."""

    def friction(self, thread: str, ran: Sequence[Ran]) -> None:
        """Makes a proposal of every command that failed three times, once."""
        failed = Counter(one.command for one in ran if one.exit_code)
        for command, count in failed.items():
            if count < REPEATED:
                continue
            name = f"pro_{blake2b(f'{thread}/{command}'.encode(), digest_size=8).hexdigest()}"
            if self._get("proposal", name) is None:
                told = ProposalTold(
                    thread=thread, evidence=tuple(
                        f"`{command}` ended with {one.exit_code}" + (f", after turn {one.turn}" if one.turn else "")
                        for one in ran if one.command == command and one.exit_code
                    ),
                    change=f"Write down how `{command}` is made to succeed here, or stop running it.",
                    effect="the same failure does not come a fourth time",
                    verification=f"`{command}` ends with 0, or is not run in the next three sessions",
                    rollback="remove what was written down",
                )  # fmt: skip
                self._put("proposal", name, "proposed", told, None)

    def every(self, kind: SlipKind, limit: int = 200) -> tuple[Slip, ...]:
        """The slips of a kind, the last changed first."""
        return self._newest(kind, limit)

    def get(self, kind: SlipKind, name: str) -> Slip:
        """Raises: NotFound."""
        return self._known(kind, name)

    def decide(self, name: str, state: str) -> Slip:
        """Raises: NotFound, Conflict when it was decided already."""
        known = self.get("proposal", name)
        if known.state != "proposed":
            raise Conflict(f"it is {known.state}")
        return self._put("proposal", name, state, told_of(known, ProposalTold), known)

    def look(self, thread: str, turns: Sequence[SaidTurn]) -> BundleTold:
        """What a bundle of these turns would be.

        Raises: Refused with a secret in one of them.
        """
        if any(find_secrets(turn.text) for turn in turns):
            raise Refused("a turn of it holds a secret", reason="secret", hint="erase that turn first")
        personal = sum(bool(find_personal(turn.text)) for turn in turns)
        kept = [turn for turn in turns if not find_personal(turn.text)]
        return BundleTold(thread=thread, turns=len(kept), sha256=_hash(kept), personal=personal)

    def make(self, told: BundleTold) -> Slip:
        """Keeps what a bundle says of itself, to be approved."""
        name = f"bun_{told.sha256[:16]}"
        return self._put("bundle", name, "waiting", told, self._get("bundle", name))

    def approve(self, name: str, *, training: bool) -> Slip:
        """Raises: NotFound."""
        known = self.get("bundle", name)
        told = replace(told_of(known, BundleTold), training=training)
        return self._put("bundle", name, "approved", told, known)

    def lines(self, name: str, turns: Sequence[SaidTurn]) -> list[dict[str, Any]]:
        """The manifest and the turns of an approved bundle.

        Raises: NotFound, Conflict when it was not approved, or its turns have changed since.
        """
        known = self.get("bundle", name)
        told = told_of(known, BundleTold)
        if known.state != "approved":
            raise Conflict("nobody has approved this bundle", hint="bundle_approve, after looking at it")
        kept = [turn for turn in turns if not find_personal(turn.text)]
        if _hash(kept) != told.sha256:
            raise Conflict("its turns have changed since it was approved", hint="make it again")
        head = {
            "artifact": "research_export", "thread": told.thread, "turns": told.turns, "sha256": told.sha256,
            "redacted_turns": told.personal, "approved": True, "training_approved": told.training,
        }  # fmt: skip
        return [head, *({"source": "turn", "role": turn.role, "text": turn.text} for turn in kept)]


def _hash(turns: Sequence[SaidTurn]) -> str:
    return sha256(msgspec.json.encode([(turn.role, turn.text) for turn in turns])).hexdigest()
