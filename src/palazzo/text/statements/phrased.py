"""From a clause to a sentence that reads alone: left-out subjects put back, edges cleaned, one full stop.

Knows nothing of which clauses are kept. Invariant: every content word of a clause appears in the text it becomes.
"""

from __future__ import annotations

import html
import re
from typing import Final

from palazzo.text.statements import filler, pronouns
from palazzo.text.statements.clauses import Clause
from palazzo.text.words import grammar
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    COORD,
    GERUND,
    NAME,
    NOUNISH,
    NUM,
    PAST,
    PREP,
    PUNCT,
    SUBJ,
    SUBORD,
    THIRD,
    Tokens,
)
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_SPACE = re.compile(r"\s+")


_EDGES: Final = " ,;:-–—*_|("
_CLOSING: Final = tuple('.!?…。！？)"”»')


_PAGE: Final = page("phrasing")
_ELIDED: Final = _PAGE.words("elided")


_EXPANDED: Final = {"gonna": "is going to", "wanna": "wants to", "gotta": "has to", "been": "has been"}


_CONTRACTED: Final = ("'m", "'re", "'s", "'ve", "'ll", "'d")


_OPENING: Final = 8  # words in which a text that leans on what was said before has its pronoun
_LEANING: Final = _PAGE.words("leaning")


_LIST = re.compile(
    r"^(?P<head>[^\n]{3,80}?)(?P<colon>:?)[ \t]*\n"
    r"(?P<lines>(?:[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+\S[^\n]{0,120}(?:\n|\Z)){2,15}"
    r"|(?:[^\n.!?:]{1,60}(?:\n|\Z)){2,15}\Z)",
    re.MULTILINE,
)
_NOTED = re.compile(r"\s+[-–—]\s+")
"""What stands between an item of a list and a note on it: "The Leopard - loved it"."""
_MARK = re.compile(r"[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+")


def lists_in(text: str) -> list[tuple[int, int, str]]:
    """Headings with the short items below them, each as one statement in one line: "Medication: ramipril, aspirin"."""
    found = []
    for match in _LIST.finditer(text):
        start, _, kind = parsed(match["head"]).spans[1][-1] if parsed(match["head"]).spans[1] else (0, 0, "fragment")
        if kind in ("statement", "fragment") and (said := _in_one_line(match, match["head"][start:].strip())):
            found.append((match.start() + start, match.end("lines"), said))
    return found


_TOLD: Final = re.compile(_PAGE.listing("told_in_question"), re.IGNORECASE)
_ASKING_AFTER: Final = re.compile(_PAGE.listing("asking_after"), re.IGNORECASE)


def told_in_question(question: str) -> tuple[int, int] | None:
    """Where a fact stands that somebody tells by asking whether it was told: "did I mention I'm left-handed?"."""
    match = _TOLD.fullmatch(question.replace("’", "'").strip())
    if match is None or _ASKING_AFTER.search(match["fact"] or match["agreed"]):
        return None
    return match.span("fact" if match["fact"] else "agreed")


def _in_one_line(match: re.Match[str], head: str) -> str:
    """A list in one line; empty where its items are sentences that read alone."""
    lines = match["lines"].strip("\n").split("\n")
    marked = _MARK.match(lines[0]) is not None
    items = [_MARK.sub("", line, count=1).strip(" \t.,;") for line in lines]
    if _MARK.match(head) or not (marked or match["colon"]) or not all(items):
        return ""
    if any(_is_sentence(_NOTED.split(item, maxsplit=1)[0]) for item in items):
        return ""
    told = f"{head}: {('; ' if any(',' in item for item in items) else ', ').join(items)}"
    return told if told[-1] in "!?" else f"{told}."


def _is_sentence(item: str) -> bool:
    """Whether an item says something of somebody by itself: "Ana starts on Monday"."""
    bits = parsed(item).tokens.bits
    told = any(
        bit & (THIRD | PAST) and not bit & (NOUNISH | NAME) for bit in bits[1:-1]
    )  # "cracked pane" tells nothing
    return told or any(bit & (AUX | SUBJ) and not bit & NAME for bit in bits[:-1])


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


def own_words(piece: str, tokens: Tokens, clause: Clause, mentions: pronouns.Mentions) -> str:
    """The clause as it was said, with the subject it shares and whom a pronoun stands for put in."""
    pieces = [clause.prefix, (clause.body, clause.last)] if clause.prefix else [(clause.body, clause.last)]
    if clause.prefix or pronouns.refers(tokens, clause.body, clause.last):
        text = pronouns.resolve_clause(tokens, pieces, mentions, own_words=True)
        if clause.prefix and tokens.lower[clause.prefix[1] - 1].endswith(_CONTRACTED):
            text = _without_doubled_auxiliary(text, tokens, clause)
    else:
        end = len(piece) if clause.last == len(tokens.words) else tokens.ends[clause.last - 1]
        text = piece[tokens.starts[clause.body] : end]
    text = _tidied(text).strip(_EDGES)
    if not _is_whole(tokens, clause):
        return _closed(text)
    return text if text[:1] == piece.lstrip()[:1] else _raised(text)


def own_words_extended(said: str, piece: str, tokens: Tokens, clause: Clause) -> str:
    """What was said with one more clause of the same sentence at its end."""
    end = len(piece) if clause.last == len(tokens.words) else tokens.ends[clause.last - 1]
    return _closed(_joined(said, _tidied(piece[tokens.starts[clause.first] : end])))


def extended_text(text: str, tokens: Tokens, clause: Clause, mentions: pronouns.Mentions, names: frozenset[str]) -> str:
    """The text of a proposition with one more clause of the same sentence at its end."""
    tail = pronouns.resolve_clause(tokens, [(clause.first, clause.last)], mentions, tail=True)
    return finished(_joined(text, tail), names, asked_by="")


def _joined(text: str, tail: str) -> str:
    return text.rstrip(".") + ("" if tail[:1] in ",;:" else " ") + tail


def _is_whole(tokens: Tokens, clause: Clause) -> bool:
    """Whether a clause is its sentence from the first word to the last."""
    return clause.body == 0 and clause.last == len(tokens.words) and not clause.prefix


def _closed(text: str) -> str:
    """A piece cut out of a sentence, as a sentence of its own."""
    text = text.strip(_EDGES)
    return _raised(text) + ("" if text[-1:] in _CLOSING else ".")


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
        if any(bit & GERUND for bit in tokens.bits[clause.body : clause.body + 3]) and not bits & (PAST | BASE | THIRD):
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
    text = _tidied(text).strip(_EDGES)
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


def _tidied(text: str) -> str:
    if "&" in text:
        text = html.unescape(text)
    return _SPACE.sub(" ", text) if "  " in text or "\n" in text else text


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
            if tokens.bits[0] & GERUND or any(b & (SUBJ | ADV | PUNCT) for b in tokens.bits[:at]):
                return ""
            subject = text[: tokens.starts[at]].strip()
            raised = subject.lower().startswith(("the ", "a ", "an ", "his ", "her ", "their "))
            return subject[0].lower() + subject[1:] if raised else subject
        if bit & PUNCT or at > 8:
            break
    return ""


def opens_with_pronoun(text: str) -> bool:
    """Whether a text speaks of somebody before it names anybody, or opens with what it does not name."""
    tokens = parsed(text).tokens
    order = list(range(min(_OPENING, len(tokens.words))))
    at = next((at for at in order if tokens.lower[at].partition("'")[0] in pronouns.HE_OR_SHE), len(order))
    return (at < len(order) and at <= pronouns.first_named(tokens, order)) or opens_with_it(text)


def opens_with_it(text: str) -> bool:
    """Whether a text opens with "it", and tells of what was named before."""
    return text.lower().replace("’", "'").partition(" ")[0] in pronouns.IT


@once
def named_in(text: str) -> pronouns.Mentions:
    """Whom and what a text names."""
    tokens, found = parsed(text).tokens, pronouns.Mentions("", "")
    pronouns.note_mentions(tokens, 0, len(tokens.words), found)
    return found


def names_somebody(text: str) -> bool:
    """Whether a text names somebody whom a later pronoun may stand for."""
    found = named_in(text)
    plain = any(pronouns.is_plain_name(one) or pronouns.is_animal(one) for one in (*found.groups, *found.things))
    return bool(found.women or found.men or found.names) or plain


@once
def people_in(text: str) -> frozenset[str]:
    """The terms of the names of people in a text."""
    found = named_in(text)
    names = filter(pronouns.is_plain_name, (*found.women, *found.men, *found.names))
    return frozenset(parsed(" ".join(names)).content_terms)
