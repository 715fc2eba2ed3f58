"""Short answers to what the assistant asked: read together with the question, which says what they are about.

Owns the finding of the question. How the two make a statement is the text room's. Invariants: a question is the last
sentence of the assistant's turn right before the answer, in the same scope; what the two say together is screened like
anything that is told, and an answer that turns out to be a secret is not kept, nor is its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from palazzo.intake.thread.corrected import HEARD, first_kept, said_before
from palazzo.intake.values import TURN_KIND, Lost
from palazzo.model.address import PlaceGlob
from palazzo.model.capability import View
from palazzo.model.message import Fate, Letter
from palazzo.store.api import Reading, Store
from palazzo.text.safety import personal, secrets
from palazzo.text.statements.phrased import opens_with_pronoun
from palazzo.text.statements.replies import leans, statement_of
from palazzo.text.words.parsed import parsed

ASKER: Final = "assistant"
MOST_CHARACTERS: Final = 160
"""Characters of a message that may open with a short answer."""


def complete(letters: Sequence[Letter], store: Store, reach: tuple[PlaceGlob, ...]) -> tuple[list[Letter], list[Lost]]:
    """Letters with what their short answers say, and the fates of those that told a secret."""
    made, lost = list(letters), list[Lost]()
    for number, letter in enumerate(letters):
        answer = _answer(letter)
        if answer is None:
            continue
        start, end = answer
        with store.reading(View(scope=letter.message.scope, reach=reach)) as reading:
            question = _question(number, made, reading)
            if not question:
                continue
            earlier = next(said_before(number, 0, made, reading, 1), None)
        said = statement_of(question, letter.text[start:end], earlier.text if earlier is not None else "")
        if not said:
            continue
        if found := secrets.find_secrets(said):
            made[number] = replace(letter, unread=((0, len(letter.text)),), unkept=True)
            fate = Fate(start=0, end=len(letter.text), outcome="refused", reason=found[0].reason)
            lost.append(Lost(letter.number, fate))
            continue
        rest = letter.text[end:].lstrip(" ,;:.!")
        if opens_with_pronoun(rest):  # "Bruno, he's a beagle"
            letter = replace(letter, before=said)  # noqa: PLW2901
        private = tuple((start, end, one.reason) for one in personal.find_personal(said))
        made[number] = replace(letter, answer=(start, end, said), personal=(*letter.personal, *private))
    return made, lost


def _answer(letter: Letter) -> tuple[int, int] | None:
    """Where a letter to an assistant may answer what was asked: its first sentence, or all that it says."""
    message = letter.message
    told = letter.manner == "observe" and message.role in HEARD and not message.speaker and not message.verbatim
    read = letter.barred or letter.unread or letter.instead or letter.unkept or letter.wholly
    if not told or read or len(letter.text) > MOST_CHARACTERS:
        return None
    spans = parsed(letter.text).spans[1]
    if not spans or spans[0][2] in ("question", "code"):
        return None
    start, end, _ = spans[0]
    if leans(letter.text[start:end]):
        return start, end
    comma = letter.text.find(",", start, end)
    alone = (
        comma > start and leans(letter.text[start:comma]) and opens_with_pronoun(letter.text[comma + 1 : end].strip())
    )
    return (start, comma + 1) if alone else None


def _question(number: int, letters: Sequence[Letter], reading: Reading) -> str:
    """What the assistant asked right before a letter; empty where it asked nothing."""
    message = letters[number].message
    if number and (earlier := letters[number - 1]).message.scope == message.scope:
        return _asked(earlier.text) if earlier.message.role == ASKER and not earlier.wholly else ""
    latest = reading.turns.latest(message.thread, 1, first_kept(letters))
    if not latest or latest[-1][1] != ASKER:
        return ""
    turn = reading.memories.by_keys([latest[-1][0]]).get(latest[-1][0])
    fits = turn is not None and turn.scope == message.scope and turn.kind == TURN_KIND
    return _asked(turn.revision.content.text) if turn is not None and fits else ""


def _asked(text: str) -> str:
    spans = parsed(text).spans[1]
    if not spans or spans[-1][2] != "question":
        return ""
    return text[spans[-1][0] : spans[-1][1]]
