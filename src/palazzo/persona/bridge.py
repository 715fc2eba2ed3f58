"""The compaction bridge: where the work of a thread stands, read from what was said, without a model.

Owns how sentences about work become items with a state, and the Markdown in which a session finds them again. Works on
turns that somebody else read; keeps nothing: what was erased from the turns is not in the next bridge. Invariants: the
same turns give the same bridge; an item that was given up is shown as given up until a person takes it up again, and
never as open; every line is in the words in which it was said; what has no room is counted, never cut silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from palazzo.persona.desk import PlanDesk
from palazzo.persona.listed import Todo, laid_on
from palazzo.persona.work import Decision, ItemState, SaidTurn, WorkItem
from palazzo.text.meaning.plans import kept_words
from palazzo.text.words.parsed import parsed

MOST_WORDS: Final = 60
LOOSE_SHOWN: Final = 6
READ_CLOSELY: Final = 400
"""The newest turns are read by the learned reader too, the older ones by rules alone: a page must not take seconds."""


class Ran(msgspec.Struct, frozen=True, gc=False):
    """A command that was run, and how it ended."""

    command: str
    exit_code: int | None = None
    turn: str = ""
    """The id of the turn that it was run after."""


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
    listed: tuple[Todo, ...] = ()
    """What the client's own list of work says."""


class Bridge(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Where the work of a thread stands."""

    items: tuple[WorkItem, ...] = ()
    decisions: tuple[Decision, ...] = ()
    rejected: tuple[Decision, ...] = ()
    facts: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    """What plainly ended something, and nothing of it says which work, the newest first."""
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
    desk = PlanDesk()
    words: dict[str, None] = {}
    facts: list[str] = []
    asked = ""
    listed = sorted(notes.listed, key=lambda one: -one.at_us)
    for number, turn in enumerate(turns, 1):
        while listed and listed[-1].at_us < turn.at_us:
            laid_on(desk, listed.pop())
        left = desk.read(turn, learned=len(turns) - number < READ_CLOSELY)
        for word in kept_words(turn.text):
            words.pop(word, None)
            words[word] = None
        if turn.role == "user" and turn.text.strip():
            asked = turn.text.strip()
            told = [sentence for sentence in left if _tells(sentence)]
            facts += told
            for sentence in told:
                desk.mention(sentence, turn)
    for one in reversed(listed):
        laid_on(desk, one)
    given = {one.mark: one.at_us for one in notes.given_up}
    items = [
        replace(item, state="cancelled", moved_us=at_us)
        if item.state in ("open", "unsure")
        and (at_us := given.get(mark_of(item.text), -1)) >= (item.moved_us or item.at_us)
        else item
        for item in desk.items
    ]
    return Bridge(
        items=tuple(items), decisions=tuple(desk.decisions), rejected=tuple(desk.rejected),
        facts=tuple(dict.fromkeys(reversed(facts))), loose=tuple(desk.loose), asked_last=asked,
        words=tuple(reversed(words))[:MOST_WORDS], turns=len(turns), notes=notes,
    )  # fmt: skip


def mark_of(text: str) -> str:
    """By what an item is known again whose words are not kept a second time."""
    return blake2b(text.encode(), digest_size=12).hexdigest()


def given_up_by(sentence: str, items: Sequence[WorkItem], at_us: int) -> tuple[GivenUp, ...]:
    """Which of these a sentence of the user gives up."""
    desk = PlanDesk()
    desk.items = list(items)
    desk.read(SaidTurn("user", sentence, at_us))
    return tuple(
        GivenUp(mark_of(before.text), at_us)
        for before, after in zip(items, desk.items, strict=False)
        if before.state in ("open", "unsure") and after.state == "cancelled"
    )


def _tells(sentence: str) -> bool:
    """Whether a sentence tells something that could be asked about later."""
    if sentence.rstrip().endswith("?"):
        return False
    return len(parsed(sentence).content_terms) >= (2 if any(map(str.isdigit, sentence)) else 3)


HEADS: Final = {
    "first_person": {
        "title": "What you remember of this work", "open": "Open: what you said you would do",
        "cancelled": "Given up: do not take these up unless the user says so", "done": "Done",
        "unsure": "Perhaps over: ask before you take these up",
        "loose": "Something is over by these, nobody said what: see whether it is one of the open ones",
        "decisions": "Decided", "rejected": "Tried or looked at, and not taken", "words": "Names, letter by letter",
        "facts": "What the user told you", "asked": "What the user asked last", "state": "Where you were working",
    },
    "neutral": {
        "title": "State of the work", "open": "Open", "cancelled": "Cancelled: not to be resumed without being asked",
        "done": "Done", "unsure": "Perhaps over: to be confirmed",
        "loose": "Ends of something that is not named", "decisions": "Decisions",
        "rejected": "Rejected approaches", "words": "Identifiers, verbatim",
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
    page.section(heads["unsure"], [_line(one) for one in bridge.of_state("unsure")])
    page.section(heads["loose"], [_one(one, 300) for one in bridge.loose[:LOOSE_SHOWN]])
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
    line = _one(item.text, 300) + (f" ({item.remark or item.state}: {_one(moved, 200)})" if moved else "")
    return line + (f" (last said of it: {_one(item.spoken, 200)})" if item.state == "open" and item.spoken else "")


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
