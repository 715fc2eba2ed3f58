"""Who the pronouns of a turn stand for: first and second person always, third person only when one reading is left.

Owns the rewriting of a clause into words that stand alone, with the verb made to agree, and the list of people and
things mentioned so far in the turn. Knows nothing about which clauses are kept. Invariant: a third-person pronoun is
replaced only when exactly one earlier mention fits it; otherwise it stays as it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from palazzo.text.words import grammar
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    BE,
    COORD,
    DET,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    PUNCT,
    SUBJ,
    SUBORD,
    WH,
    Tokens,
)
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("pronouns")

_FEMALE: Final = _PAGE.words("female")
_MALE: Final = _PAGE.words("male")
_PERSON: Final = _PAGE.words("person")
_PEOPLE: Final = _PAGE.words("people")
_AGREE: Final = {
    "am": "is",
    "are": "is",
    "were": "was",
    "have": "has",
    "haven't": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "aren't": "isn't",
    "weren't": "wasn't",
    "ain't": "isn't",
    "gonna": "is going to",
    "wanna": "wants to",
    "gotta": "has to",
}
_CAUSATIVE: Final = _PAGE.words("causative")
_PERSON_CUES: Final = _PAGE.words("person_cues")
_CALENDAR: Final = _PAGE.words("calendar")
_HE: Final = frozenset(("he", "him", "his", "he's", "he'll", "he'd", "himself"))
_SHE: Final = frozenset(("she", "her", "hers", "she's", "she'll", "she'd", "herself"))
_THEY: Final = frozenset(("they", "them", "their", "theirs", "they're", "they've", "they'll", "they'd"))
_IT: Final = frozenset(("it", "its", "it's", "it'll", "it'd"))
_THIRD_PERSON: Final = _HE | _SHE | _THEY | _IT
_FIRST_SECOND: Final = _PAGE.words("first_second")


@dataclass(slots=True)
class Mentions:
    """People, groups and things named so far in one turn, by the words they would be called by later."""

    speaker: str
    addressee: str
    women: dict[str, int] = field(default_factory=dict)
    men: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    things: dict[str, int] = field(default_factory=dict)


def possessive(name: str) -> str:
    """The owner's form of a name."""
    return name + "'s"


def resolve_clause(tokens: Tokens, pieces: list[tuple[int, int]], mentions: Mentions) -> str:
    """The words of the given token ranges with pronouns resolved, as one line of text."""
    order = [at for first, last in pieces for at in range(first, last)]
    here = _own_mentions(tokens, order)
    output: list[str] = []
    in_quotes = False
    agreement = 0
    lower, words, starts, ends = tokens.lower, tokens.words, tokens.starts, tokens.ends
    for position, at in enumerate(order):
        low = lower[at]
        word = words[at]
        if low in ('"', "“", "”"):
            in_quotes = not in_quotes if low == '"' else low == "“"
        replaced = word
        if not in_quotes:
            if low in _FIRST_SECOND:
                replaced, agreement = _first_second(tokens, order, position, mentions)
            elif agreement:
                fixed, agreement = _agree(tokens, order, position, agreement)
                replaced = fixed or word
            elif low in _THIRD_PERSON:
                replaced = _third(tokens, order, position, mentions, here) or word
            if position + 1 < len(order) and lower[order[position + 1]] in _FIRST_SECOND:
                replaced = _before_subject(tokens, order, position) or replaced
        glued = position > 0 and order[position - 1] == at - 1 and ends[at - 1] == starts[at]
        if output and not glued and not (tokens.bits[at] & PUNCT and low in ",.;:!?)"):
            output.append(" ")
        output.append(replaced)
    return "".join(output)


def note_mentions(tokens: Tokens, first: int, last: int, mentions: Mentions) -> None:
    """Adds the people and things named in a clause to what later pronouns may stand for."""
    bits, lower, words = tokens.bits, tokens.lower, tokens.words
    at = first
    while at < last:
        bit = bits[at]
        low = lower[at]
        if bit & POSS and at + 1 < last and not bit & NAME:
            at = _note_owned(tokens, at, last, mentions)
            continue
        if bit & NAME and not bit & (PUNCT | NUM) and words[at][0].isupper():
            end = at + 1
            while end < last and bits[end] & NAME and words[end][0].isupper() and not bits[end] & PUNCT:
                end += 1
            name = " ".join(words[at:end]).removesuffix("'s").removesuffix("’s")
            if name not in (mentions.speaker, mentions.addressee) and low not in _CALENDAR:
                target = mentions.names if _is_person(tokens, at, end, first, last) else mentions.things
                target[name] = at
            at = end
            continue
        if (
            bit & DET
            and low in ("the", "a", "an", "this")
            and at + 1 < last
            and not bits[at + 1] & (AUX | PUNCT | PREP | SUBORD | WH)
        ):
            end = at + 1
            while (
                end < last and end < at + 4 and not bits[end] & (AUX | PUNCT | PREP | COORD | SUBJ | PAST | DET | ADV)
            ):
                end += 1
            head = lower[end - 1]
            if end > at + 1:
                _note_noun(head, "the " + " ".join(words[at + 1 : end]), at, mentions)
            at = end
            continue
        at += 1


def _is_person(tokens: Tokens, at: int, end: int, first: int, last: int) -> bool:
    """Whether a name is used as people's names are: as a subject, an owner, or the one somebody is with."""
    if tokens.lower[end - 1].endswith("'s"):
        return True
    before = tokens.lower[at - 1] if at > first else ""
    if before in _PERSON_CUES or before in _FEMALE or before in _MALE or before in _PERSON:
        return True
    if at > first and tokens.bits[at - 1] & (DET | PREP):
        return False
    following = tokens.bits[end] if end < last else PUNCT
    return following & (PAST | grammar.THIRD) != 0 and not following & BE


def _note_owned(tokens: Tokens, at: int, last: int, mentions: Mentions) -> int:
    """Notes "my sister Anna" and the like; returns where to go on."""
    bits, lower, words = tokens.bits, tokens.lower, tokens.words
    owner = {"my": possessive(mentions.speaker), "our": possessive(mentions.speaker)}.get(lower[at], "")
    if lower[at] in ("your", "yours"):
        owner = possessive(mentions.addressee)
    end = at + 1
    while end < last and end < at + 4 and not bits[end] & (AUX | PUNCT | PREP | COORD | SUBJ | PAST | DET | ADV | NAME):
        end += 1
    if end == at + 1 or not owner:
        return at + 1
    called = f"{owner} {' '.join(words[at + 1 : end])}"
    if end < last and bits[end] & NAME and words[end][0].isupper() and not lower[end].endswith("'s"):
        called = words[end]
        mentions.names.pop(called, None)
        end += 1
        _note_noun(lower[end - 2], called, at, mentions)
        return end
    _note_noun(lower[end - 1], called, at, mentions)
    return end


def _note_noun(head: str, called: str, at: int, mentions: Mentions) -> None:
    if head in _FEMALE:
        mentions.women[called] = at
    elif head in _MALE:
        mentions.men[called] = at
    elif head in _PERSON:
        mentions.names[called] = at
    elif head in _PEOPLE:
        mentions.groups[called] = at
    elif not head.endswith("s") or head.endswith("ss"):
        mentions.things[called] = at


def _own_mentions(tokens: Tokens, order: list[int]) -> bool:
    """Whether the clause names somebody itself, in which case its pronouns already read alone."""
    for position, at in enumerate(order):
        bit = tokens.bits[at]
        named = bit & NAME and not bit & PUNCT and tokens.words[at][0].isupper()
        if named and tokens.lower[at] not in _CALENDAR:
            return True
        if bit & POSS and position + 1 < len(order):
            head = tokens.lower[order[position + 1]]
            if head in _FEMALE or head in _MALE or head in _PERSON or head in _PEOPLE:
                return True
    return False


def _first_second(tokens: Tokens, order: list[int], position: int, mentions: Mentions) -> tuple[str, int]:
    """Replacement of a first or second person word, and whether the next verb must agree (1 = yes)."""
    low = tokens.lower[order[position]]
    speaker, addressee = mentions.speaker, mentions.addressee
    if low in ("my", "our", "mine", "ours"):
        return possessive(speaker), 0
    if low in ("your", "yours"):
        return possessive(addressee), 0
    if low in ("me", "us"):
        return (speaker if low == "me" else f"{speaker} and others"), 0
    if low in ("myself", "yourself", "ourselves"):
        return "themselves", 0
    head, _, ending = low.partition("'")
    who = {"i": speaker, "you": addressee, "y": addressee}.get(head, f"{speaker} and others")
    if head == "y":
        return f"{addressee} and others", 0
    if ending:
        return f"{who} {_expanded(tokens, order, position, ending, plural=head == 'we')}", 0
    if head == "we":
        return who, 0
    before = tokens.lower[order[position - 1]] if position else ""
    after = tokens.lower[order[position + 1]] if position + 1 < len(order) else ""
    if head == "you" and not _is_subject(tokens, order, position):
        return who, 0
    coordinated = before in ("and", "&") or after in ("and", "&")
    inverted = before in _AGREE or before in (
        "did",
        "does",
        "is",
        "was",
        "can",
        "could",
        "should",
        "would",
        "will",
        "has",
    )
    return who, 0 if coordinated or inverted else 1


def _is_subject(tokens: Tokens, order: list[int], position: int) -> bool:
    if position + 1 >= len(order):
        return False
    if position and tokens.lower[order[position - 1]] in _CAUSATIVE:
        return False
    following = tokens.bits[order[position + 1]]
    return following & (AUX | BASE | PAST | ADV | NEG) != 0 and not following & (PREP | DET)


def _expanded(tokens: Tokens, order: list[int], position: int, ending: str, *, plural: bool) -> str:
    following = tokens.lower[order[position + 1]] if position + 1 < len(order) else ""
    if ending in ("m", "re"):
        return "are" if plural else "is"
    if ending == "ve":
        return "have" if plural else "has"
    if ending == "ll":
        return "will"
    if ending == "d":
        bits = grammar.forms_of(following)
        return "had" if following in ("better", "been") or (bits & PARTICIPLE and not bits & BASE) else "would"
    bits = grammar.forms_of(following)
    return "has" if following in ("been", "got", "gotten", "had") or (bits & PARTICIPLE and not bits & BASE) else "is"


def _agree(tokens: Tokens, order: list[int], position: int, state: int) -> tuple[str | None, int]:
    """The verb after a replaced subject in the third person; state 1 looks for it, 2 looks for verbs joined to it."""
    at = order[position]
    low, bits = tokens.lower[at], tokens.bits[at]
    if state == 1:
        if low in _AGREE:
            return _AGREE[low], 0
        if bits & BASE:
            return (None, 0) if bits & PAST else (grammar.third_person(low), 2)
        if bits & (ADV | NEG) and not bits & AUX:
            return None, 1
        if bits == 0 and low.isalpha() and tokens.words[at].islower():
            return grammar.third_person(low), 0
        return None, 0
    if bits & PUNCT or low == "to" or bits & SUBJ or bits & AUX:
        return None, 0
    if bits & BASE and not bits & (NOUNISH | PAST | PREP) and tokens.bits[order[position - 1]] & COORD:
        return grammar.third_person(low), 2
    return None, 2


def _before_subject(tokens: Tokens, order: list[int], position: int) -> str | None:
    """The auxiliary of an inverted question made to agree with the subject that follows it ("do I", "are you")."""
    low = tokens.lower[order[position]]
    if tokens.lower[order[position + 1]] not in ("i", "you") or low not in ("am", "are", "do", "have", "were", "don't"):
        return None
    before = tokens.bits[order[position - 1]] if position else 0
    return None if before & SUBJ else _AGREE[low]


def _is_plain_name(called: str) -> bool:
    return called[:1].isupper() and "'" not in called and " " not in called


def _third(tokens: Tokens, order: list[int], position: int, mentions: Mentions, here: bool) -> str | None:
    low = tokens.lower[order[position]]
    if low in _IT:
        return None if here else _it(tokens, order, position, mentions)
    if here:
        return None
    if low in _THEY:
        fits = list(mentions.groups)
    else:
        fits = list(mentions.women if low in _SHE else mentions.men) + list(mentions.names)
    if low not in _THEY:
        fits += [name for name in mentions.groups if _is_plain_name(name)]
        # A name that nothing shows to be a person's, until somebody calls it she.
        fits = fits or [name for name in mentions.things if _is_plain_name(name)]
    if len(fits) != 1:
        return None
    who = fits[0]
    plural = low in _THEY
    head, _, ending = low.partition("'")
    if ending:
        return f"{who} {_expanded(tokens, order, position, ending, plural=plural)}"
    following = tokens.bits[order[position + 1]] if position + 1 < len(order) else PUNCT
    if head in ("his", "their", "hers", "theirs"):
        return possessive(who)
    if head == "her" and not following & (PUNCT | PREP | AUX | DET | POSS | ADV | SUBJ | COORD | PAST | NUM):
        return possessive(who)
    return None if head in ("himself", "herself") else who


def _it(tokens: Tokens, order: list[int], position: int, mentions: Mentions) -> str | None:
    """What "it" stands for when a single thing was named before and it opens the clause."""
    if position > 0 or len(mentions.things) != 1:
        return None
    low = tokens.lower[order[position]]
    following = tokens.bits[order[position + 1]] if position + 1 < len(order) else PUNCT
    if any(tokens.lower[at] in ("me", "us", "to", "like") for at in order[1:4]):
        return None
    thing = next(iter(mentions.things))
    if low == "its":
        return possessive(thing)
    if low == "it":
        if following & BE:
            told = tokens.bits[order[position + 2]] if position + 2 < len(order) else PUNCT
            return thing if told & (DET | NUM | NAME) else None
        return thing if following & (AUX | PAST | grammar.THIRD) else None
    if low == "it's" and following & (DET | NUM | NAME):
        return f"{thing} is"
    return None


def opens_with_pronoun(text: str) -> bool:
    """Whether a text speaks of somebody before it names anybody."""
    return any(word.strip(".,!?") in _HE | _SHE for word in text.lower().replace("’", "'").split()[:6])


@once
def names_somebody(text: str) -> bool:
    """Whether a text names somebody whom a later pronoun may stand for."""
    tokens, found = parsed(text).tokens, Mentions("", "")
    note_mentions(tokens, 0, len(tokens.words), found)
    plain = any(map(_is_plain_name, (*found.groups, *found.things)))
    return bool(found.women or found.men or found.names) or plain
