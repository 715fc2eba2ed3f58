"""The compaction bridge: where the work of a thread stands, read from what was said, without a model.

Owns how sentences about work become items with a state, and the Markdown in which a session finds them again. Works on
turns that somebody else read; keeps nothing: what was erased from the turns is not in the next bridge. Invariants: the
same turns give the same bridge; an item that was given up is shown as given up until a person takes it up again, and
never as open; every line is in the words in which it was said; what has no room is counted, never cut silently.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.text.meaning.plans import (
    PlanSign,
    is_light,
    kept_words,
    matter_pairs,
    matter_terms,
    matters_in,
    plan_signs,
    said_sentences,
)
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

ItemState = Literal["open", "done", "cancelled"]
Pairs = frozenset[tuple[str, str]]
LIGHT: Final = 0.4
"""What a verb of work counts: "the docs are written" speaks of "write the docs" by its noun."""
NEAR: Final = 0.9
"""Of several alike, those this near to the best are meant together: one plan that two people told."""
NAMED: Final = 0.95
"""How alike a sentence is to an item that alone has two words beside each other which it has, too."""
SAME: Final = 0.6
"""Share of the rarer words of two sentences that must be in both: they speak of the same work."""
TOLD_AGAIN: Final = 0.8
"""Share of all words from which on a plan is one that is known, told again: two that differ in a number are two."""
MOST_WORDS: Final = 60
POINTS_BACK: Final = 6
"""How many items back "that one" may point."""


class SaidTurn(msgspec.Struct, frozen=True, gc=False):
    """A turn as the bridge reads it."""

    role: str
    text: str
    at_us: int = 0
    session: str = ""


class WorkItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Work that was spoken of: in which words, by whom, where it stands, and the sentence that moved it there."""

    text: str
    state: ItemState
    by: str
    at_us: int
    moved_by: str = ""
    moved_us: int = 0
    reason: str = ""
    terms: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()


class Decision(msgspec.Struct, frozen=True, gc=False):
    """Something that was decided or found wanting, in the words in which it was said."""

    text: str
    by: str
    at_us: int
    reason: str = ""


class Ran(msgspec.Struct, frozen=True, gc=False):
    """A command that was run, and how it ended."""

    command: str
    exit_code: int | None = None


class GivenUp(msgspec.Struct, frozen=True, gc=False):
    """Work that was given up in words that are not kept ("forget it"): by a mark of its text alone."""

    mark: str
    at_us: int


class WorkNotes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a client knows of the work beside what was said."""

    cwd: str = ""
    branch: str = ""
    ran: tuple[Ran, ...] = ()
    files: tuple[str, ...] = ()
    note: str = ""
    given_up: tuple[GivenUp, ...] = ()


class Bridge(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where the work of a thread stands."""

    items: tuple[WorkItem, ...] = ()
    decisions: tuple[Decision, ...] = ()
    rejected: tuple[Decision, ...] = ()
    facts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Names, paths and codes, letter by letter, the last used first."""
    asked_last: str = ""
    turns: int = 0
    notes: WorkNotes = WorkNotes()

    def of_state(self, state: ItemState) -> tuple[WorkItem, ...]:
        """The items that stand there, the last moved first."""
        found = [item for item in self.items if item.state == state]
        return tuple(sorted(found, key=lambda item: -(item.moved_us or item.at_us)))


def bridge_of(turns: Sequence[SaidTurn], notes: WorkNotes = WorkNotes()) -> Bridge:
    """Reads turns in order and says where the work stands."""
    desk = _Desk()
    words: dict[str, None] = {}
    facts: list[str] = []
    asked = ""
    for turn in turns:
        signs = {sign.sentence: sign for sign in plan_signs(turn.text, turn.role)}
        for sign in signs.values():
            desk.hear(sign, turn)
        for word in kept_words(turn.text):
            words.pop(word, None)
            words[word] = None
        if turn.role == "user" and turn.text.strip():
            asked = turn.text.strip()
            told = [one for one in said_sentences(turn.text) if one not in signs and _tells(one)]
            facts += told
            for one in told:
                desk.mention(one, turn)
    given = {one.mark: one.at_us for one in notes.given_up}
    items = [
        replace(item, state="cancelled", moved_us=at_us)
        if item.state == "open" and (at_us := given.get(mark_of(item.text), -1)) >= (item.moved_us or item.at_us)
        else item
        for item in desk.items
    ]
    return Bridge(
        items=tuple(items), decisions=tuple(desk.decisions), rejected=tuple(desk.rejected),
        facts=tuple(dict.fromkeys(reversed(facts))), words=tuple(reversed(words))[:MOST_WORDS], asked_last=asked,
        turns=len(turns), notes=notes,
    )  # fmt: skip


def mark_of(text: str) -> str:
    """By what an item is known again whose words are not kept a second time."""
    return blake2b(text.encode(), digest_size=12).hexdigest()


def given_up_by(sentence: str, items: Sequence[WorkItem], at_us: int) -> tuple[GivenUp, ...]:
    """Which of these a sentence of the user gives up."""
    desk = _Desk()
    desk.items = list(items)
    turn = SaidTurn("user", sentence, at_us)
    for sign in plan_signs(sentence):
        desk.hear(sign, turn)
    return tuple(
        GivenUp(mark_of(before.text), at_us)
        for before, after in zip(items, desk.items, strict=False)
        if before.state == "open" and after.state == "cancelled"
    )


def _tells(sentence: str) -> bool:
    """Whether a sentence tells something that could be asked about later."""
    return not sentence.rstrip().endswith("?") and len(parsed(sentence).content_terms) >= 3


class _Desk:
    """The items while turns are read."""

    def __init__(self) -> None:
        self.items: list[WorkItem] = []
        self.decisions: list[Decision] = []
        self.rejected: list[Decision] = []
        self._often: Counter[str] = Counter()
        self._mentioned: dict[tuple[str, str], tuple[str, SaidTurn]] = {}
        """What was said of something that nobody called work, by its name: its end may tell that it was."""

    def mention(self, sentence: str, turn: SaidTurn) -> None:
        """Remembers a sentence that says nothing of work as far as it can be read."""
        for pair in matter_pairs(sentence):
            self._mentioned.setdefault(pair, (sentence, turn))

    def hear(self, sign: PlanSign, turn: SaidTurn) -> None:
        """Moves the items that a sentence speaks of, or adds the one it tells."""
        if sign.sort == "decided":
            self.decisions.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))
            if sign.otherwise is not None:
                self.hear(sign.otherwise, turn)
        elif sign.otherwise is not None:
            if not self._move(sign, turn, "done" if sign.sort == "done" else "cancelled", ("open",), alone=False):
                self.hear(sign.otherwise, turn)
        elif sign.sort == "open":
            self._open(sign, turn)
        elif sign.sort == "done":
            self._move(sign, turn, "done", ("open",))
        elif sign.sort == "cancelled":
            self._move(sign, turn, "cancelled", ("open",))
        elif sign.sort == "resumed":
            self._move(sign, turn, "open", ("cancelled", "done"))
        elif sign.sort == "replaced":
            self._replace(sign, turn)
        else:
            self._move(sign, turn, "cancelled", ("open",), alone=False)
            self.rejected.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))

    def _open(self, sign: PlanSign, turn: SaidTurn) -> None:
        said = matter_terms(sign.matter)
        if not said:
            return
        for at, item in reversed([*enumerate(self.items)]):
            if _figures(said) != _figures(item.terms):
                continue
            shared = len(said & item.terms)
            whole = shared / max(len(said), len(item.terms))
            if item.state == "open" and whole >= TOLD_AGAIN:
                return
            if item.state == "cancelled" and turn.role == "user" and whole >= TOLD_AGAIN:
                # Only a person takes up again what was given up.
                self.items[at] = replace(item, state="open", moved_by=sign.sentence, moved_us=turn.at_us, reason="")
                return
            if item.state == "cancelled" and turn.role != "user" and shared / len(said) >= TOLD_AGAIN:
                return
        self._add(sign, turn, "open", said)

    def _move(
        self, sign: PlanSign, turn: SaidTurn, state: ItemState, among: tuple[ItemState, ...], *, alone: bool = True
    ) -> bool:
        """Moves what is meant; whether there was any."""
        said = matter_terms(sign.matter)
        if sign.pointing:
            found = [at for at, item in enumerate(self.items) if item.state in among][-1:]
            found = [at for at in found if at >= len(self.items) - POINTS_BACK]
        else:
            deed = frozenset(terms(sign.deed))
            pairs = matter_pairs(sign.matter)
            found = self._among(said | deed, among, deed, pairs)
            for part in matters_in(sign.matter) if not found else ():
                found += self._among(matter_terms(part) | deed, among, deed, pairs)
            if not found and not deed:
                whole = matter_pairs(sign.sentence)
                found = self._among(matter_terms(sign.sentence), among, deed, whole)
        if not found and alone and not sign.alone and not sign.deed:
            found = self._meant(sign)
        for at in found:
            self.items[at] = replace(
                self.items[at], state=state, moved_by=sign.sentence, moved_us=turn.at_us, reason=sign.reason
            )
        fresh = not found and alone and sign.alone and bool(said)
        if fresh and not any(item.state == state for _, item in self._alike(said, TOLD_AGAIN)):
            self._add(sign, turn, state, said)
        return bool(found)

    def _meant(self, sign: PlanSign) -> list[int]:
        """Takes what was only mentioned for work, since it has an end."""
        for pair in matter_pairs(sign.matter):
            if pair in self._mentioned and not any(pair in item.pairs for item in self.items):
                sentence, turn = self._mentioned[pair]
                self._add(PlanSign("open", sentence, sentence), turn, "open", matter_terms(sentence))
                return [len(self.items) - 1]
        return []

    def _among(
        self, said: frozenset[str], among: tuple[ItemState, ...], deed: frozenset[str], pairs: Pairs
    ) -> list[int]:
        alike = self._alike(said, SAME, pairs)
        return [at for at, item in alike if item.state in among and deed <= item.terms]

    def _replace(self, sign: PlanSign, turn: SaidTurn) -> None:
        """The one is given up if it was planned; what takes its place is a decision, and work where the one was."""
        said = matter_terms(sign.matter)
        taken = matter_terms(sign.other)
        found = [(at, item) for at, item in self._alike(said - taken, SAME) if item.state == "open"]
        for at, item in found:
            self.items[at] = replace(
                item, state="cancelled", moved_by=sign.sentence, moved_us=turn.at_us, reason=sign.reason
            )
        self.decisions.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))
        if found and taken:
            self._add(sign, turn, "open", taken)

    def _add(self, sign: PlanSign, turn: SaidTurn, state: ItemState, said: frozenset[str]) -> None:
        self._often.update(said)
        moved = state != "open"
        self.items.append(
            WorkItem(
                text=sign.sentence, state=state, by=turn.role, at_us=turn.at_us, terms=said,
                pairs=matter_pairs(sign.other or sign.matter), reason=sign.reason,
                moved_by=sign.sentence if moved else "", moved_us=turn.at_us if moved else 0,
            )
        )  # fmt: skip

    def _weight(self, words: Iterable[str]) -> float:
        """Words that stand in many items tell less which one is meant."""
        return sum((LIGHT if is_light(term) else 1.0) / math.sqrt(1 + self._often[term]) for term in words)

    def _alike(self, said: frozenset[str], least: float, pairs: Pairs = frozenset()) -> list[tuple[int, WorkItem]]:
        """The items that speak of the same work, most alike first; one that alone has a name of it is meant."""
        if not said:
            return []
        weighed = self._weight(said)
        named: dict[tuple[str, str], set[frozenset[str]]] = {}
        for item in self.items:
            for pair in pairs & item.pairs:
                named.setdefault(pair, set()).add(item.terms)
        found: list[tuple[float, int]] = []
        for at, item in enumerate(self.items):
            shared = said & item.terms
            if not shared or (all(map(is_light, shared)) and not all(map(is_light, item.terms))):
                continue
            share = self._weight(shared) / min(weighed, self._weight(item.terms))
            if any(len(named[pair]) == 1 for pair in pairs & item.pairs):
                share = max(share, NAMED)
            if share >= least:
                found.append((share, at))
        if not found:
            return []
        best = max(share for share, _ in found)
        near = sorted(((share, at) for share, at in found if share >= best * NEAR), key=lambda one: (-one[0], -one[1]))
        return [(at, self.items[at]) for _, at in near]


def _figures(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(sign.isdigit() for sign in word))


HEADS: Final = {
    "first_person": {
        "title": "What you remember of this work", "open": "Open: what you said you would do",
        "cancelled": "Given up: do not take these up unless the user says so", "done": "Done",
        "decisions": "Decided", "rejected": "Tried or looked at, and not taken", "words": "Names, letter by letter",
        "facts": "What the user told you", "asked": "What the user asked last", "state": "Where you were working",
    },
    "neutral": {
        "title": "State of the work", "open": "Open", "cancelled": "Cancelled: not to be resumed without being asked",
        "done": "Done", "decisions": "Decisions", "rejected": "Rejected approaches", "words": "Identifiers, verbatim",
        "facts": "What the user said", "asked": "Last request of the user", "state": "Workspace",
    },
}  # fmt: skip
Framing = Literal["first_person", "neutral"]


def written(bridge: Bridge, most_chars: int = 10_000, framing: Framing = "first_person") -> str:
    """The bridge as Markdown within so many characters: open and given-up work always comes first, facts last."""
    heads = HEADS[framing]
    page = _Page(most_chars)
    page.add(f"# {heads['title']}")
    notes = bridge.notes
    page.section(heads["open"], [_line(one) for one in bridge.of_state("open")])
    page.section(heads["cancelled"], [_line(one) for one in bridge.of_state("cancelled")])
    if bridge.asked_last:
        page.section(heads["asked"], [_quoted(bridge.asked_last, 600)])
    where = [f"folder: {notes.cwd}"] if notes.cwd else []
    where += [f"branch: {notes.branch}"] if notes.branch else []
    where += [f"ran `{_one(one.command, 160)}`: exit code {_code(one)}" for one in notes.ran]
    where += [f"note: {_one(notes.note, 1500)}"] if notes.note else []
    page.section(heads["state"], where)
    page.section(heads["decisions"], [_one(one.text, 300) for one in reversed(bridge.decisions)])
    page.section(heads["rejected"], [_one(one.text, 300) for one in reversed(bridge.rejected)])
    page.section(heads["words"], [", ".join((*notes.files, *bridge.words))] if notes.files or bridge.words else [])
    page.section(heads["done"], [_line(one) for one in bridge.of_state("done")])
    page.section(heads["facts"], [_one(one, 300) for one in bridge.facts])
    return page.text


def _code(ran: Ran) -> str:
    return "unknown" if ran.exit_code is None else str(ran.exit_code)


def _line(item: WorkItem) -> str:
    moved = item.moved_by if item.moved_by and item.moved_by != item.text else ""
    return _one(item.text, 300) + (f" ({item.state}: {_one(moved, 200)})" if moved else "")


def _one(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _quoted(text: str, most: int) -> str:
    return f'"{_one(text, most)}"'


class _Page:
    """Markdown that grows until it is full; what has no room is counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.text = ""

    def add(self, line: str, spare: int = 0) -> bool:
        """Adds a line, if there is room for it and so many characters more."""
        if len(self.text) + len(line) + 1 + spare > self._most:
            return False
        self.text += f"{line}\n"
        return True

    def section(self, head: str, lines: Sequence[str]) -> None:
        """A heading and its lines; the last says how many had no room, and that they can be recalled."""
        if not lines or not self.add(f"\n## {head}", 80):
            return
        for number, line in enumerate(lines):
            if not self.add(f"- {line}", 60):
                self.add(f"- ({len(lines) - number} more, kept and recallable)")
                return
