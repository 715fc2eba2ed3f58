"""Atomic propositions of a turn: one statement each, readable alone, with the span they came from.

Owns the walk from sentences to clauses to propositions and the account of what was dropped and why. Knows nothing about
slots, kinds or storage. Invariant: the spans of propositions and of dropped stretches are disjoint and together cover
every alphanumeric character of the input, so every word of a turn is either kept or has a stated reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.text.meaning.instructions import read_ahead, tells_to_always
from palazzo.text.meaning.kinds import is_question
from palazzo.text.meaning.message import passes_time, says_who
from palazzo.text.meaning.requests import gives_up
from palazzo.text.statements import filler, pronouns
from palazzo.text.statements.clauses import Clause, split_clauses
from palazzo.text.statements.phrased import (
    clause_text,
    extended_text,
    finished,
    leans_on_previous,
    own_words,
    own_words_extended,
    subject_dropped,
    subject_of,
    told_in_question,
)
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    DET,
    GERUND,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    POSS,
    PREP,
    PUNCT,
    SUBJ,
    THIRD,
    VERB,
    WH,
    Tokens,
)
from palazzo.text.words.lexicon import ENGLISH, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.sentences import SentenceKind, plain_text

_PAGE: Final = page("phrasing")
_REASONS: Final = _PAGE.words("reasons")
_OWN: Final = _PAGE.words("own")
_ASKS: Final = _PAGE.words("asks")
THE_ASSISTANT: Final = "the assistant"
_READ_AHEAD: Final = 256  # turns; what the reader said of them is still known when they are taken apart
"""Who is spoken to where nobody is named."""
_TALK: Final = frozenset({"greeting", "acknowledgement", "filler", "question", "too_short"})
_MAX_COURTESY: Final = 60
_MAX_TALK: Final = 1_000  # characters: whoever writes more tells something
_MARK = re.compile(r"\s*(?:[-*+•‣▪◦●–—]\s+|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+|#{1,6}\s+|>+\s*)")
_SIGNS = re.compile(r"[^\w\s]+")
_ENGLISH: Final = _PAGE.words("english")
_ASKER_WORDS: Final = 10  # a question shorter than this tells nothing about who asks
_ASKER_CONTENT: Final = 5
_LONGEST_NAMING: Final = 8  # words of "but most of my friends say Max"
_NAMED_BEFORE: Final = 2  # content words that a pronoun counts for whose meaning is known
_OWN_WORDS: Final = frozenset({"i", "me", "my", "we", "our", "us"})


Said = tuple[str, str, str] | tuple[str, str, str, str]
"""A text, its speaker and its addressee, and what was said before it."""


class Proposition(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One statement that reads alone; `start` and `end` index the turn, `source` is the sentence as it was written.

    `said` is the statement in the speaker's own words: "I" is whoever speaks, and only what would not be understood
    outside its sentence (a shared subject, "she") is put in.
    """

    text: str
    said: str
    start: int
    end: int
    source: str
    subject: str
    negated: bool


class Dropped(msgspec.Struct, frozen=True, gc=False):
    """A stretch of the turn that became no proposition, and why.

    Reasons: greeting, acknowledgement, filler, question, too_short, code, markup, unreadable.
    """

    start: int
    end: int
    text: str
    reason: str


@dataclass(slots=True)
class _Turn:
    """What is known while walking through one turn."""

    original: str
    mask: str
    mentions: pronouns.Mentions
    names: frozenset[str]
    kept: list[Proposition]
    dropped: list[Dropped]

    def drop(self, start: int, end: int, reason: str) -> None:
        self.dropped.append(Dropped(start, end, self.original[start:end], reason))

    def follows(self, start: int, source: str) -> bool:
        """Whether the last proposition ends where a clause of the same sentence starts."""
        return bool(self.kept) and self.kept[-1].end == start and self.kept[-1].source == source


def split_propositions(
    text: str, *, speaker: str = "the user", addressee: str = "the assistant"
) -> tuple[tuple[Proposition, ...], tuple[Dropped, ...]]:
    """Propositions of one turn, and every stretch that was dropped with its reason."""
    (found,) = split_turns([(text, speaker, addressee)])
    return found


@once
def states_nothing(text: str) -> bool:
    """Whether a turn only asks, greets, agrees or passes the time: nothing in it is told, shown or left unread."""
    kept, dropped = split_propositions(text[:_MAX_TALK])
    return len(text) <= _MAX_TALK and not kept and all(one.reason in _TALK for one in dropped)


def split_turns(
    turns: Sequence[Said],
) -> list[tuple[tuple[Proposition, ...], tuple[Dropped, ...]]]:
    """The same for many turns, each a text, its speaker and its addressee, and what was said before it if that matters.

    Sentences of all turns first, then their words, then their clauses: a tenth faster than turn by turn.
    """
    cut = [parsed(turn[0]).spans for turn in turns]
    read = [
        [(span, parsed("" if span[2] == "code" else mask[span[0] : span[1]]).tokens) for span in spans]
        for mask, spans in cut
    ]
    made: list[tuple[tuple[Proposition, ...], tuple[Dropped, ...]]] = []
    for at in range(0, len(turns), _READ_AHEAD):
        part = slice(at, at + _READ_AHEAD)
        read_ahead(
            mask[start:end] for turn, (mask, spans) in zip(turns[part], cut[part], strict=True)
            if turn[2] == THE_ASSISTANT for start, end, kind in spans if kind != "code"
        )  # fmt: skip
        made += map(_taken, turns[part], (mask for mask, _ in cut[part]), read[part])
    return made


def _taken(
    said: tuple[str, str, str] | tuple[str, str, str, str],
    mask: str,
    found: list[tuple[tuple[int, int, SentenceKind], Tokens]],
) -> tuple[tuple[Proposition, ...], tuple[Dropped, ...]]:
    text, speaker, addressee, *before = said
    turn = _Turn(text, mask, pronouns.Mentions(speaker, addressee), _names(speaker, addressee), [], [])
    for earlier in filter(None, before):
        tokens = parsed(earlier).tokens
        pronouns.note_mentions(tokens, 0, len(tokens.words), turn.mentions)
    reached = 0
    for span, tokens in found:
        _drop_markup(turn, reached, span[0])
        turn.mentions.sentence += 1
        _take_sentence(turn, span, tokens)
        reached = span[1]
    _drop_markup(turn, reached, len(text))
    return tuple(turn.kept), tuple(turn.dropped)


def in_third_person(text: str, speaker: str, addressee: str) -> str:
    """The text with the two who talk called by their names, all its words kept."""
    tokens = parsed(text).tokens
    return pronouns.resolve_clause(tokens, [(0, len(tokens.words))], pronouns.Mentions(speaker, addressee)) or text


@once
def _names(speaker: str, addressee: str) -> frozenset[str]:
    """Lower-case words of the two names, which carry no content in talk between the two."""
    return frozenset(
        word for name in (speaker, addressee) for word in name.lower().split() if word not in ("the", "user")
    )


def _drop_markup(turn: _Turn, start: int, end: int) -> None:
    """Accounts for tags between sentences, which are in no sentence."""
    if end - start > 1 and any(character.isalnum() for character in turn.original[start:end]):
        turn.drop(start, end, "markup")


def _names_self(piece: str, tokens: Tokens) -> bool:
    """Whether somebody says a name and not whose it is: "Ottoline here", "just Otti is fine"."""
    return not any(bit & (THIRD | SUBJ | POSS | BASE) and not bit & AUX for bit in tokens.bits) and says_who(piece)


def _take_sentence(turn: _Turn, span: tuple[int, int, SentenceKind], tokens: Tokens) -> None:
    start, end, kind = span
    piece = turn.mask[start:end]
    if kind == "code" or _unreadable(piece):
        turn.drop(start, end, "code" if kind == "code" else "unreadable")
        return
    last = len(tokens.words)
    first = _after_mark(piece, tokens)
    if first >= last or all(bit & PUNCT for bit in tokens.bits[first:last]):
        turn.drop(start, end, "too_short")
        return
    language = parsed(piece).language
    if kind == "question" and (cut := _told_before_asking(tokens, first, last)):
        at = tokens.starts[cut]
        opening = tokens.starts[first + (tokens.lower[first] in _REASONS)]
        _take_sentence(turn, (start + opening, start + at, "statement"), parsed(piece[opening:at]).tokens)
        _take_sentence(turn, (start + at, end, kind), parsed(piece[at:]).tokens)
        return
    if kind == "question" and turn.mentions.addressee == THE_ASSISTANT and (told := told_in_question(piece)):
        turn.drop(start, start + told[0], "filler")
        _take_sentence(turn, (start + told[0], start + told[1], "statement"), parsed(piece[slice(*told)]).tokens)
        return
    if turn.mentions.addressee == THE_ASSISTANT and (
        tells_to_always(piece) or gives_up(piece) or _names_self(piece, tokens)
    ):
        text = pronouns.resolve_clause(tokens, [(first, last)], turn.mentions) if language == ENGLISH else piece
        _keep(turn, (start, end), finished(text, turn.names, asked_by=""), plain_text(piece).lstrip(" ,;:"), "")
        return
    if turn.mentions.addressee == THE_ASSISTANT and kind != "question" and _traits().match(piece, tokens.starts[first]):
        said = finished(f"{turn.mentions.speaker} is {piece[tokens.starts[first] :]}", turn.names, asked_by="")
        _keep(turn, (start, end), said, plain_text(piece), turn.mentions.speaker)
        return
    if language != ENGLISH or (not piece.isascii() and not any(word in _ENGLISH for word in tokens.lower)):
        _take_foreign(turn, (start, end, kind), tokens, language)
        return
    if turn.mentions.addressee == THE_ASSISTANT and len(piece) <= _MAX_COURTESY and passes_time(piece):
        turn.drop(start, end, filler.weigh(tokens, first, last, turn.names).reason or "filler")
        return
    body = filler.lead_in(tokens, first, last, turn.names)
    if body >= last:
        turn.drop(start, end, filler.weigh(tokens, first, last, turn.names).reason)
        return
    opening = start
    if body > first:
        opening = start + tokens.starts[body]
        reason = filler.weigh(tokens, first, body, turn.names).reason
        turn.drop(start, opening, reason if reason != "too_short" else "filler")
    spans = _clause_spans(tokens, _past_announcement(tokens, body, last), (opening, end, start), kind)
    _take_clauses(turn, tokens, spans, (start, end, kind))


def _keep(turn: _Turn, span: tuple[int, int], text: str, said: str, subject: str) -> None:
    """Keeps a sentence as one statement."""
    (start, end), source = span, turn.original[slice(*span)]
    turn.kept.append(
        Proposition(text=text, said=said, start=start, end=end, source=source, subject=subject, negated=False)
    )


@cache
def _traits() -> re.Pattern[str]:
    """What somebody says of themselves without saying "I am": "Left-handed, allergic to cats"."""
    return re.compile(rf"(?:{_PAGE.listing('traits')})\b[^?]{{0,80}}$", re.IGNORECASE)


def _told_before_asking(tokens: Tokens, first: int, last: int) -> int:
    """Where a question begins that somebody opens with a fact of their own: "Since I'm coeliac, what can I eat?"."""
    lower, bits = tokens.lower, tokens.bits
    at = first + (lower[first] in _REASONS)
    if at >= last or lower[at].partition("'")[0] not in _OWN:
        return 0
    for here in range(at + 2, last - 2):
        if bits[here] & WH and lower[here] != "that" and lower[here - 1] != ",":
            return 0
        if lower[here] == "," and (bits[here + 1] & (WH | AUX) or lower[here + 1] in _ASKS):
            return here if any(bit & (AUX | VERB) or "'" in low for bit, low in
                               zip(bits[at:here], lower[at:here], strict=True)) else 0  # fmt: skip
    return 0


def _after_mark(piece: str, tokens: Tokens) -> int:
    """Index of the first token after a list or heading mark."""
    mark = _MARK.match(piece)
    first = 0
    if mark and mark.end() < len(piece):
        while first < len(tokens.words) and tokens.starts[first] < mark.end():
            first += 1
    return first


def _past_announcement(tokens: Tokens, body: int, last: int) -> int:
    """Skips "and", and "I just wanted to let you know that": they announce a statement and are not part of it."""
    lower, bits = tokens.lower, tokens.bits
    for at in range(body + 1, min(body + 8, last - 3)):
        if lower[at] in ("know", "tell", "share", "mention", "say"):
            opened = lower[body:at]
            if "wanted" not in opened and "want" not in opened and "let" not in opened:
                break
            then = at + 1
            while then < last and lower[then] in ("you", "ya", "that", "u", "everyone"):
                then += 1
            if then < last and bits[then] & (SUBJ | POSS) and then > at + (lower[at] != "know"):
                return then
            break
    if body + 1 < last and lower[body] in ("and", "but", "so", "plus", "also") and bits[body + 1] & SUBJ:
        return body + 1
    return body


def _clause_spans(
    tokens: Tokens, body: int, place: tuple[int, int, int], kind: SentenceKind
) -> Iterator[tuple[int, int, Clause]]:
    """Clauses with their spans in the turn; spans touch, so nothing between two clauses is lost."""
    opening, end, start = place
    clauses = split_clauses(tokens, body, len(tokens.words), question=kind == "question")
    for number, clause in enumerate(clauses):
        left = opening if number == 0 else start + tokens.starts[clause.first]
        right = end if number + 1 == len(clauses) else start + tokens.starts[clauses[number + 1].first]
        yield left, right, clause


def _take_clauses(
    turn: _Turn, tokens: Tokens, spans: Iterator[tuple[int, int, Clause]], sentence: tuple[int, int, SentenceKind]
) -> None:
    """Keeps or drops each clause; one that says nothing alone ("and it was lovely") stays with the one before it."""
    start, end, kind = sentence
    source, piece = turn.original[start:end], turn.mask[start:end]
    to_machine = turn.mentions.addressee == THE_ASSISTANT
    for left, right, clause in spans:
        weight = filler.weigh(tokens, clause.body, clause.last, turn.names)
        elided = kind != "question" and (subject_dropped(tokens, clause) or _silent(turn, tokens, clause))
        if elided:
            weight = weight._replace(first_person=True)
        if clause.asks:
            if not _tells_about_asker(clause, weight):
                turn.drop(left, right, "question")
                if to_machine:  # "What could I give my wife? She turns 40."
                    pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)
                continue
        elif not clause.prefix:
            stands = pronouns.opening_stands_for(tokens, clause.body, clause.last, turn.mentions) if to_machine else ""
            if stands:
                weight = weight._replace(content=weight.content + _NAMED_BEFORE)
            empty = filler.is_empty_talk(
                tokens, (clause.body, clause.last), weight, command=kind == "command", to_machine=to_machine
            )
            of_another = stands and turn.kept and not stands.startswith(turn.kept[-1].subject or stands)
            leans = leans_on_previous(tokens, clause) and not of_another
            leans = empty or leans or _names_again(turn, tokens, clause)
            if leans and turn.follows(left, source) and weight.words > 1:
                turn.kept[-1] = _extended(turn, tokens, clause, (piece, right))
                pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)
                continue
            if empty:
                pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)
                turn.drop(left, right, weight.reason)
                pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)
                continue
        found = _proposition(turn, tokens, clause, (left, right, source), elided=elided)
        said = found.text if clause.asks else own_words(piece, tokens, clause, turn.mentions)
        turn.kept.append(replace(found, said=said))
        pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)
        turn.mentions.topic = found.subject


def _names_again(turn: _Turn, tokens: Tokens, clause: Clause) -> bool:
    """Whether a clause gives another name of whoever just introduced themselves: "but everybody says Max"."""
    last = clause.last - 1
    while last > clause.body and tokens.bits[last] & PUNCT:
        last -= 1
    if clause.last - clause.body > _LONGEST_NAMING or not tokens.bits[last] & NAME:
        return False
    if tokens.lower[clause.body].partition("'")[0] in _OWN:
        return False
    return bool(turn.kept) and says_who(turn.kept[-1].text)


def _silent(turn: _Turn, tokens: Tokens, clause: Clause) -> bool:
    """Whether somebody notes for an assistant what they do without saying who: "Plays the accordion"."""
    at, bits = clause.body, tokens.bits
    if turn.mentions.addressee != THE_ASSISTANT or clause.prefix or "\n" in turn.original or at + 1 >= clause.last:
        return False
    if not bits[at] & THIRD or bits[at] & (AUX | NAME) or tokens.lower[at + 1] == "of":  # "Releases of it are rare"
        return False
    if turn.kept and turn.kept[-1].subject != turn.mentions.speaker and not _notes_a_thing(turn.kept[-1]):
        return False
    plainly = not bits[at] & NOUNISH and not bits[at + 1] & (AUX | VERB | PUNCT)  # "Lives alone"
    return plainly or bits[at + 1] & (DET | POSS | PREP | GERUND | ADV | NUM) != 0 or tokens.lower[at + 1] == "to"


def _counts_own(turn: _Turn, tokens: Tokens, clause: Clause) -> bool:
    """Whether somebody who notes things of themselves counts what they have: "Two guinea pigs"."""
    note = tokens.bits[clause.body : clause.last]
    own = bool(turn.kept) and turn.kept[-1].subject == turn.mentions.speaker
    return own and note[0] & NUM != 0 and not any(bit & (AUX | VERB | SUBJ) for bit in note)


def _notes_a_thing(said: Proposition) -> bool:
    """Whether a note is of nobody else: it has no verb ("Three cats.")."""
    return not said.subject and not any(bit & (AUX | VERB) for bit in parsed(said.text).tokens.bits)


def _tells_about_asker(clause: Clause, weight: filler.Weight) -> bool:
    """Whether a question carries the asker's own particulars, such as figures or names of what they work on."""
    long_enough = clause.last - clause.body >= _ASKER_WORDS and weight.content >= _ASKER_CONTENT
    return weight.first_person and weight.tied and long_enough


def _proposition(
    turn: _Turn, tokens: Tokens, clause: Clause, place: tuple[int, int, str], *, elided: bool
) -> Proposition:
    left, right, source = place
    text = clause_text(tokens, clause, turn.mentions, turn.names, subject_dropped=elided)
    own = elided or _counts_own(turn, tokens, clause)
    subject = turn.mentions.speaker if own else subject_of(text, tokens, clause, turn.mentions)
    negated = any(tokens.bits[at] & NEG for at in range(clause.body, clause.last))
    return Proposition(text=text, said=text, start=left, end=right, source=source, subject=subject, negated=negated)


def _extended(turn: _Turn, tokens: Tokens, clause: Clause, place: tuple[str, int]) -> Proposition:
    previous, (piece, right) = turn.kept[-1], place
    text = extended_text(previous.text, tokens, clause, turn.mentions, turn.names)
    said = own_words_extended(previous.said, piece, tokens, clause)
    return replace(previous, text=text, said=said, end=right)


def _take_foreign(turn: _Turn, sentence: tuple[int, int, SentenceKind], tokens: Tokens, language: str) -> None:
    """A sentence in another language: kept unless it is a question, small talk or a single short word.

    It is kept whole but for statements that a glossary shows to be joined: each may be taken back without the other.
    """
    start, end, kind = sentence
    piece = turn.mask[start:end]
    weight = filler.weigh(tokens, 0, len(tokens.words), turn.names)
    if kind == "question" or is_question(piece):
        turn.drop(start, end, "question")
    elif passes_time(piece):
        turn.drop(start, end, "filler")
    elif weight.content == 0 or (weight.reason == "greeting" and weight.words <= 2):
        turn.drop(start, end, weight.reason)
    else:
        subject = _spoken_of(parsed(piece).said, turn.mentions.speaker)
        for first, opening, last, lead in _joined(parsed(piece).said, language, end - start):
            source = turn.original[start + first : start + last]
            text = lead + plain_text(turn.mask[start + opening : start + last])
            if last - first < end - start:
                text = text[0].upper() + text[1:].rstrip(", .") + "."
            found = Proposition(
                text=text, said=text, start=start + first, end=start + last, source=source, subject=subject,
                negated=False,
            )  # fmt: skip
            turn.kept.append(found)


def _spoken_of(said: Tokens, speaker: str) -> str:
    """Of whom or what a sentence speaks: of whoever says it where they name themselves, else of what it opens with."""
    if not _OWN_WORDS.isdisjoint(said.lower):
        return speaker
    verb = next((at for at, bit in enumerate(said.bits) if at and bit & (AUX | VERB) and not bit & NAME), 1)
    return said.text[said.starts[0] : said.ends[verb - 1]] if said.words else ""


def _joined(said: Tokens, language: str, length: int) -> tuple[tuple[int, int, int, str], ...]:
    """The statements of one speaker that "and" joins in a sentence, or the sentence as it is.

    For each where it begins and ends, where its own words begin, and the subject it takes from the first.
    """
    lower, bits = said.lower, said.bits
    if language != ENGLISH and bits and bits[0] & SUBJ:
        for at in range(3, len(lower) - 2):
            if lower[at] != "and" or not any(bit & VERB for bit in bits[1:at]):
                continue
            verb = bits[at + 1] & (BASE | THIRD | AUX) and not bits[at + 1] & NAME
            if verb or lower[at + 1] == lower[0]:
                cut, resumed = said.starts[at], said.starts[at + 1]
                return (0, 0, cut, ""), (cut, resumed, length, f"{said.words[0]} " if verb else "")
    return ((0, 0, length, ""),)


def _unreadable(piece: str) -> bool:
    """Whether a stretch is binary, a key or other noise rather than language."""
    if "\x00" in piece or len(piece) < 24:
        return "\x00" in piece
    sample = piece[:400]
    if len(_SIGNS.sub("", sample)) * 2 < len(sample):
        return True
    return len(piece) > 200 and piece.isascii() and "://" not in piece and max(map(len, piece.split()), default=0) > 200
