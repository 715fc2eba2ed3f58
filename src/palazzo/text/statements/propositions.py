"""Atomic propositions of a turn: one statement each, readable alone, with the span they came from.

Owns the walk from sentences to clauses to propositions, the account of what was dropped and why, and the last step from
a clause to a sentence that reads alone: left-out subjects put back, edges cleaned, one full stop. Knows nothing about
slots, kinds or storage. Invariants: the spans of propositions and of dropped stretches are disjoint and together cover
every alphanumeric character of the input, so every word of a turn is either kept or has a stated reason; every content
word of a clause appears in the text it becomes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.text.statements import filler, pronouns
from palazzo.text.statements.clauses import Clause, split_clauses
from palazzo.text.words import grammar
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    COORD,
    GERUND,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PAST,
    POSS,
    PREP,
    PUNCT,
    SUBJ,
    SUBORD,
    THIRD,
    VERB,
    Tokens,
)
from palazzo.text.words.lexicon import ENGLISH, has_page, page
from palazzo.text.words.parsed import once, parsed
from palazzo.text.words.sentences import SentenceKind, plain_text, sentence_spans

_PAGE: Final = page("phrasing")
_SPACE = re.compile(r"\s+")
_EDGES: Final = " ,;:-–—*_|("
_ELIDED: Final = _PAGE.words("elided")
_EXPANDED: Final = {"gonna": "is going to", "wanna": "wants to", "gotta": "has to", "been": "has been"}
_CONTRACTED: Final = ("'m", "'re", "'s", "'ve", "'ll", "'d")
_LEANING: Final = _PAGE.words("leaning")
_TALK: Final = frozenset({"greeting", "acknowledgement", "filler", "question", "too_short"})
_MAX_TALK: Final = 1_000  # characters: whoever writes more tells something


def clause_text(
    tokens: Tokens, clause: Clause, mentions: pronouns.Mentions, names: frozenset[str], *, subject_dropped: bool
) -> str:
    """Text of the proposition a clause becomes."""
    pieces = [(clause.body, clause.last)]
    if clause.prefix:
        pieces.insert(0, clause.prefix)
    text = pronouns.resolve_clause(tokens, pieces, mentions)
    if clause.prefix and tokens.lower[clause.prefix[1] - 1].endswith(_CONTRACTED):
        text = _without_doubled_auxiliary(text, tokens, clause)
    if subject_dropped:
        text = _with_speaker(text, tokens, clause, mentions.speaker)
    return finished(text, names, asked_by=mentions.speaker if clause.asks else "")


def extended_text(text: str, tokens: Tokens, clause: Clause, mentions: pronouns.Mentions, names: frozenset[str]) -> str:
    """The text of a proposition with one more clause of the same sentence at its end."""
    tail = pronouns.resolve_clause(tokens, [(clause.first, clause.last)], mentions)
    return finished(text.rstrip(".") + ("" if tail[:1] in ",;:" else " ") + tail, names, asked_by="")


def subject_dropped(tokens: Tokens, clause: Clause) -> bool:
    """Whether the clause starts with a verb whose subject, the speaker, was left out ("Went to Rome last week")."""
    bits, lower = tokens.bits, tokens.lower
    at = clause.body
    if clause.asks or clause.prefix:
        return False
    while at < clause.last - 1 and bits[at] & ADV and not bits[at] & AUX:
        at += 1
    if lower[at] in _ELIDED:
        return lower[at] != "been" or bits[min(at + 1, clause.last - 1)] & GERUND != 0
    bit = bits[at]
    if bit & GERUND and not bit & (NAME | NOUNISH):
        rest = bits[at + 1 : clause.last]
        finite = THIRD | PAST
        return len(rest) > 1 and not any(b & (AUX | SUBJ) or (b & finite and not b & NOUNISH) for b in rest)
    if not bit & PAST or bit & (NOUNISH | AUX | NAME | BASE) or lower[at].endswith(("based", "given")):
        return False
    return not any(bits[k] & SUBJ for k in range(at + 1, min(at + 12, clause.last)))


def leans_on_previous(tokens: Tokens, clause: Clause) -> bool:
    """Whether a clause says nothing alone: a pronoun for its subject, or a figure without what it measures."""
    if tokens.lower[clause.body] in _LEANING:
        return True
    bits = tokens.bits
    for at in range(clause.body, min(clause.last, clause.body + 9)):
        bit = bits[at]
        if bit & NUM:
            following = bits[at + 1] if at + 1 < clause.last else PUNCT
            return tokens.words[at][-1] in "%0123456789" and following & (PUNCT | PREP | SUBORD | COORD) != 0
        if not bit & ~(NOUNISH | NAME):
            return False
    return False


def _with_speaker(text: str, tokens: Tokens, clause: Clause, speaker: str) -> str:
    head, _, rest = text.partition(" ")
    low = head.lower()
    fixed = _EXPANDED.get(low)
    if fixed is None:
        bits = tokens.bits[clause.body]
        fixed = grammar.third_person(low) if bits & BASE and not bits & (PAST | ADV) else low
        if any(bit & GERUND for bit in tokens.bits[clause.body : clause.body + 3]) and not bits & (PAST | BASE):
            fixed = f"is {low}"
    return f"{speaker} {fixed} {rest}"


def _without_doubled_auxiliary(text: str, tokens: Tokens, clause: Clause) -> str:
    """Takes the auxiliary out of a shared contraction when the second verb brings its own ("She's ill and has ...")."""
    if not tokens.bits[clause.body] & (AUX | THIRD) or tokens.bits[clause.body] & GERUND:
        return text
    verb = tokens.words[clause.body]
    for auxiliary in (" is ", " has ", " will ", " would ", " had ", " are ", " have "):
        at = text.find(auxiliary)
        if at >= 0 and text.startswith(verb, at + len(auxiliary)):
            return text[:at] + " " + text[at + len(auxiliary) :]
    contraction = tokens.words[clause.prefix[1] - 1] if clause.prefix else ""
    head, mark, _ = contraction.replace("’", "'").partition("'")
    return text.replace(f"{contraction} {verb}", f"{head} {verb}", 1) if mark else text


def finished(text: str, names: frozenset[str], *, asked_by: str) -> str:
    """Edges cleaned, a closing address cut ("..., Anna"), first letter raised, one full stop."""
    if "&" in text:
        text = html.unescape(text)
    if "  " in text or "\n" in text:
        text = _SPACE.sub(" ", text)
    text = text.strip(_EDGES)
    body = text.rstrip(" .!…,;:-–—")
    comma = body.rfind(",", max(0, len(body) - 24))
    if comma > 0:
        last = body[comma + 1 :].strip().lower()
        if last in names or filler.is_short_name(last, names):
            body = body[:comma].rstrip()
    if asked_by:
        return _raised(f"{asked_by} asked: {body.rstrip('?')}?")
    if not body:
        return text
    if body[-1] in "?。！？؟।":
        body = body.rstrip("?")
        return _raised(body) + ("." if body and body[-1].isascii() else "")
    return _raised(body) + "."


def _raised(text: str) -> str:
    return text[0].upper() + text[1:] if text and text[0].islower() else text


def subject_of(text: str, tokens: Tokens, clause: Clause, mentions: pronouns.Mentions) -> str:
    """Who or what a clause is about, as far as its first words tell; empty when they do not."""
    at, last = clause.prefix or (clause.body, clause.last)
    for here in range(at, min(at + 8, last)):
        low = tokens.lower[here]
        bit = tokens.bits[here]
        if low in ("my", "our"):
            break
        if bit & SUBJ:
            head = low.partition("'")[0]
            if head in ("i", "we"):
                return mentions.speaker
            if head == "you":
                return mentions.addressee
            break
        if here > at and bit & (AUX | THIRD | PAST) and not bit & NOUNISH:
            break
    return _leading_noun(text)


def _leading_noun(text: str) -> str:
    tokens = parsed(text[:80]).tokens
    for at, bit in enumerate(tokens.bits):
        finite = bit & (THIRD | PAST) and (not bit & NOUNISH or tokens.bits[at - 1] & NAME)
        if at > 0 and (bit & AUX or finite) and not bit & NAME:
            if any(b & (SUBJ | GERUND | ADV | PUNCT) for b in tokens.bits[:at]):
                return ""
            subject = text[: tokens.starts[at]].strip()
            raised = subject.lower().startswith(("the ", "a ", "an ", "his ", "her ", "their "))
            return subject[0].lower() + subject[1:] if raised else subject
        if bit & PUNCT or at > 8:
            break
    return ""


_MARK = re.compile(r"\s*(?:[-*+•‣▪◦●–—]\s+|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+|#{1,6}\s+|>+\s*)")
_SIGNS = re.compile(r"[^\w\s]+")
_ENGLISH: Final = _PAGE.words("english")
_ASKER_WORDS: Final = 10  # a question shorter than this tells nothing about who asks
_ASKER_CONTENT: Final = 5


class Proposition(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One statement that reads alone; `start` and `end` index the turn, `source` is the sentence as it was written."""

    text: str
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
    turns: Sequence[tuple[str, str, str]],
) -> list[tuple[tuple[Proposition, ...], tuple[Dropped, ...]]]:
    """The same for many turns, each a text, its speaker and its addressee.

    Sentences of all turns first, then their words, then their clauses: a tenth faster than turn by turn.
    """
    cut = [sentence_spans(text, exact=False) for text, _, _ in turns]
    read = [
        [(span, parsed("" if span[2] == "code" else mask[span[0] : span[1]]).tokens) for span in spans]
        for mask, spans in cut
    ]
    return [_taken(turn, mask, found) for turn, (mask, _), found in zip(turns, cut, read, strict=True)]


def _taken(
    said: tuple[str, str, str], mask: str, found: list[tuple[tuple[int, int, SentenceKind], Tokens]]
) -> tuple[tuple[Proposition, ...], tuple[Dropped, ...]]:
    text, speaker, addressee = said
    turn = _Turn(text, mask, pronouns.Mentions(speaker, addressee), _names(speaker, addressee), [], [])
    reached = 0
    for span, tokens in found:
        _drop_markup(turn, reached, span[0])
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
    if language != ENGLISH or (not piece.isascii() and not any(word in _ENGLISH for word in tokens.lower)):
        _take_foreign(turn, (start, end, kind), tokens, language)
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
    source = turn.original[start:end]
    for left, right, clause in spans:
        weight = filler.weigh(tokens, clause.body, clause.last, turn.names)
        elided = kind != "question" and subject_dropped(tokens, clause)
        if elided:
            weight = weight._replace(first_person=True)
        if clause.asks:
            if not _tells_about_asker(clause, weight):
                turn.drop(left, right, "question")
                continue
        elif not clause.prefix:
            empty = filler.is_empty_talk(
                tokens,
                (clause.body, clause.last),
                weight,
                command=kind == "command",
                to_machine=turn.mentions.addressee == "the assistant",
            )
            if (empty or leans_on_previous(tokens, clause)) and turn.follows(left, source) and weight.words > 1:
                turn.kept[-1] = _extended(turn, tokens, clause, right)
                continue
            if empty:
                turn.drop(left, right, weight.reason)
                continue
        turn.kept.append(_proposition(turn, tokens, clause, (left, right, source), elided=elided))
        pronouns.note_mentions(tokens, clause.body, clause.last, turn.mentions)


def _tells_about_asker(clause: Clause, weight: filler.Weight) -> bool:
    """Whether a question carries the asker's own particulars, such as figures or names of what they work on."""
    long_enough = clause.last - clause.body >= _ASKER_WORDS and weight.content >= _ASKER_CONTENT
    return weight.first_person and weight.tied and long_enough


def _proposition(
    turn: _Turn, tokens: Tokens, clause: Clause, place: tuple[int, int, str], *, elided: bool
) -> Proposition:
    left, right, source = place
    text = clause_text(tokens, clause, turn.mentions, turn.names, subject_dropped=elided)
    subject = turn.mentions.speaker if elided else subject_of(text, tokens, clause, turn.mentions)
    negated = any(tokens.bits[at] & NEG for at in range(clause.body, clause.last))
    return Proposition(text=text, start=left, end=right, source=source, subject=subject, negated=negated)


def _extended(turn: _Turn, tokens: Tokens, clause: Clause, right: int) -> Proposition:
    previous = turn.kept[-1]
    text = extended_text(previous.text, tokens, clause, turn.mentions, turn.names)
    return replace(previous, text=text, end=right)


def _take_foreign(turn: _Turn, sentence: tuple[int, int, SentenceKind], tokens: Tokens, language: str) -> None:
    """A sentence in another language: kept unless it is a question, small talk or a single short word.

    It is kept whole but for statements that a glossary shows to be joined: each may be taken back without the other.
    """
    start, end, kind = sentence
    weight = filler.weigh(tokens, 0, len(tokens.words), turn.names)
    if kind == "question":
        turn.drop(start, end, "question")
    elif _is_small_talk(tokens, language):
        turn.drop(start, end, "filler")
    elif weight.content == 0 or (weight.reason == "greeting" and weight.words <= 2):
        turn.drop(start, end, weight.reason)
    else:
        for first, opening, last, lead in _joined(parsed(turn.mask[start:end]).said, language, end - start):
            source = turn.original[start + first : start + last]
            text = lead + plain_text(turn.mask[start + opening : start + last])
            if last - first < end - start:
                text = text[0].upper() + text[1:].rstrip(", .") + "."
            found = Proposition(
                text=text, start=start + first, end=start + last, source=source, subject="", negated=False
            )  # fmt: skip
            turn.kept.append(found)


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


def _is_small_talk(tokens: Tokens, language: str) -> bool:
    if language == ENGLISH or not has_page("filler", language):
        return False
    chat = page("filler", language).words("chat")
    return all(word in chat or bit & PUNCT for word, bit in zip(tokens.lower, tokens.bits, strict=True))


def _unreadable(piece: str) -> bool:
    """Whether a stretch is binary, a key or other noise rather than language."""
    if "\x00" in piece:
        return True
    if len(piece) < 24:
        return False
    sample = piece[:400]
    if len(_SIGNS.sub("", sample)) * 2 < len(sample):
        return True
    if len(piece) > 200 and piece.isascii() and "://" not in piece:
        return max(map(len, piece.split())) > 200
    return False
