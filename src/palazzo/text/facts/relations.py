"""Statements that tie two things together: in the closed vocabulary of relation types, as cause and effect, or as
steps.

Owns the patterns: kinship ("my sister Anna"), a verb between a subject and an object ("Anna works for Acme"), what
follows from what, the steps of a procedure, and the words that cancel a tie. Two names of one thing are read by
aliases. Patterns are compiled on first use, and each works within a bounded window, so reading a text is linear in its
length. The speaker is "the user", in first person or by that name. Knows nothing about stored
entities or about whether it is true. Invariant: no relation is read out of a question, a negation, a wish or a thing of
the past; what is found are words of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from palazzo.text.facts.aliases import EQUATING, equated
from palazzo.text.words import cues
from palazzo.text.words.lexicon import EVERY_LANGUAGE, page

_PAGE: Final = page("relations")


# What Y is to X in "X's <word> Y": (Y, relation, X).
KIN: Final = _PAGE.labelled("kin")


_NAME: Final = r"[A-ZÀ-ÞŁŚŽČŠ][\w’'-]*(?: (?:(?:of|de|van|von|the|la) )?[A-ZÀ-ÞŁŚŽČŠ][\w’'-]*){0,4}"
_KIN_WORDS: Final = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))
_OWNER: Final = rf"(?:[Mm]y|[Oo]ur|[Tt]he user's|{_NAME}['’]s)"
_QUALITIES: Final = "best|good|close|old|older|younger|elder|little|big|twin|dear|new|eldest|youngest|first|main|only"
_QUALITY: Final = rf"(?:(?:{_QUALITIES}) )*"
_KIN_PHRASE: Final = rf"(?P<owner>{_OWNER}) {_QUALITY}(?P<kin>{_KIN_WORDS})\b"
_THING: Final = r"(?:[Tt]he|[Oo]ur|[Tt]his) \w[\w+#-]*(?:\.\w+)*(?: \w[\w+#-]*(?:\.\w+)*){0,2}"
LEFT_WINDOW: Final = 80
SENTENCE_WINDOW: Final = 300
_BE_CALLED: Final = r"(?:,? |['’]s name is |,? (?:is |was )?(?:named|called) | is )"


class KinAsked(msgspec.Struct, frozen=True):
    """Somebody named by what they are to somebody: the words that do so, what they are, the relation, and to whom."""

    said: str
    kin: str
    predicate: str
    owner: str


def kin_asked(words: str) -> tuple[KinAsked, ...]:
    """Whom the words of a cue name by what they are: "my daughter", "our old cat", "Tom's wife"."""
    found = (match for match in _kin_asked().finditer(words))
    return tuple(
        KinAsked(match[0].lower(), match["kin"].lower(), KIN[match["kin"].lower()], _whose(match["owner"]))
        for match in found
    )


def words_alike(word: str) -> frozenset[str]:
    """The words that mean the same somebody as a word: mother, mum, mom."""
    listed = page("asking", EVERY_LANGUAGE).listings("alternatives").values()
    members = (member.split() for listing in listed for line in listing.split("\n") for member in line.split(";"))
    return frozenset(other for member in members if word in member for other in member)


@cache
def _kin_asked() -> re.Pattern[str]:
    return re.compile(rf"\b(?P<owner>(?i:my|our|the user's)|{_NAME}['’]s) (?i:{_QUALITY}(?P<kin>{_KIN_WORDS}))\b")


def _whose(owner: str) -> str:
    return USER if owner.lower() in ("my", "our", "the user's", "i", "we") else _clean(owner)


@cache
def kin_named() -> tuple[re.Pattern[str], ...]:
    """ "my sister Anna", "my dog is called Rex", "my sister's name is Anna"; and "Anna is my sister"."""
    return (
        re.compile(rf"\b{_KIN_PHRASE}{_BE_CALLED}(?P<name>{_NAME})"),
        re.compile(rf"\b(?P<name>{_NAME}),? (?:is|was|,) {_KIN_PHRASE}"),
    )


@cache
def _kin_of() -> tuple[re.Pattern[str], ...]:
    """ "Anna is the sister of Ben"; and "Greta has a son called Nils"."""
    return (
        re.compile(
            rf"\b(?P<name>{_NAME}),? (?:is|was) (?:the|a|an) {_QUALITY}(?P<kin>{_KIN_WORDS}) of (?P<owner>{_NAME})"
        ),
        re.compile(
            rf"\b(?P<owner>{_NAME}|I|We|we) (?:has|have) (?:a|an|one) {_QUALITY}(?P<kin>{_KIN_WORDS}),?"
            rf" (?:named|called) (?P<name>{_NAME})"
        ),
    )


@cache
def _pair_pattern() -> re.Pattern[str]:
    """ "Anna and Ben are friends": what two are to each other."""
    said = "|".join(sorted(map(re.escape, _pairs()), key=len, reverse=True))
    return re.compile(rf"\b(?P<one>{_NAME}) and (?P<other>{_NAME}) (?P<said>{said})\b")


@cache
def _pairs() -> dict[str, str]:
    return {
        phrase.strip(): predicate for predicate, listed in _PAGE.listings("pairs").items()
        for phrase in listed.split(",")
    }  # fmt: skip


SYMMETRIC: Final = _PAGE.words("symmetric")


def inverse_of(predicate: str) -> str:
    """What the object of a relation is to its subject, in the same vocabulary; empty where it has no word."""
    return predicate if predicate in SYMMETRIC else str(_PAGE.table("inverse").get(predicate, ""))


@cache
def _subject_pattern() -> re.Pattern[str]:
    """A subject and up to three words after it, at the end of a stretch of text."""
    return re.compile(
        rf"(?:^|[\s,;:(\"“.!?])(?P<subject>{_OWNER} {_QUALITY}(?:{_KIN_WORDS})\b(?:,? {_NAME})?,?"
        rf"|I|[Ww]e|[Tt]he user|{_THING}|{_NAME})(?P<middle>(?:['’](?:m|ve|s|re))?,?(?: [a-z']+){{0,3}}) ?$"
    )


@cache
def kin_subject() -> re.Pattern[str]:
    return re.compile(rf"{_OWNER} {_QUALITY}(?:{_KIN_WORDS})\b,?(?: (?P<name>{_NAME}))?")


@cache
def _another_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:, and |, | and | or | as well as )(?:the )?(?P<object>{_NAME}|[a-z+#]{{3,}})")


POSSESSIVE = re.compile(r"['’]s?$")
DETERMINER = re.compile(r"^(?:[Tt]he|[Oo]ur|[Tt]his) ")
BREAK = re.compile(r"[.!?]\s|\n")
SENTENCE_END = re.compile(r"[.!?\n]")
_NP: Final = r"(?:(?:the|a|an|my|our|his|her|their) )?(?P<object>[\w][\w’'+#&.-]*(?: [\w][\w’'+#&-]*){0,4})"
_NAMED_OBJECT: Final = rf"(?:the )?(?P<object>{_NAME})"
WORD = re.compile(r"[a-z]+")
JOINS: Final = (" and ", " but ", ", ")
JOINED: Final = _PAGE.words("joined")
CONDITIONS: Final = _PAGE.words("conditions")
CONDITION_ENDS: Final = tuple([word] for word in CONDITIONS)
OPENERS: Final = cues.PLAIN - _PAGE.words("openers") | CONDITIONS
NOBODY: Final = cues.PLAIN - _PAGE.words("nobody")
TASTE: Final = _PAGE.words("taste")
POSSESSED = re.compile(r"\b(?:my|his|her|our|their|your|its) $")
IS_A = re.compile(r"(?:\b(?:am|is|was|as)|['’](?:m|s)) (?:[\w-]+ ){0,4}$")
JOBS: Final = _PAGE.words("jobs")
COPULA: Final = (" is ", "'s ", "’s ", " are ", "'m ", "’m ", " am ", " was ", " were ", " be ", "'re ", "’re ")
CANCELLING_ENDS: Final = ("n't ", "n’t ")
# A subject and its verb may have these between them without losing the tie.
BETWEEN: Final = _PAGE.words("between")
CANCELS: Final = _PAGE.words("cancels")
STOP_OBJECT: Final = _PAGE.words("stop_object")


class _Verb(msgspec.Struct, frozen=True):
    """What may follow a verb to make it a relation."""

    rest: re.Pattern[str]
    predicate: str
    confidence: float
    swap: bool = False
    kind: str = ""
    """The kind that what follows is known to be, where only such makes it this relation."""


@cache
def _verb_table() -> dict[str, tuple[_Verb, ...]]:
    """Verb form to what may follow it: a named thing, or with `thing` any; with `swap` it is the subject."""
    table: dict[str, tuple[_Verb, ...]] = {}
    for row in _PAGE.rows("ties"):
        rest = re.compile(row["after"] + (_NP if row.get("thing") else _NAMED_OBJECT))
        verb = _Verb(rest, row["tie"], row["confidence"], row.get("swap", False), row.get("kind", ""))
        for word in row["words"].split():
            table[word] = (*table.get(word, ()), verb)
    return table


USER: Final = "the user"


class RelationFact(msgspec.Struct, frozen=True):
    """One tie read out of a text: who, what (a name of `RELATIONS`), whom, and where it was said."""

    subject: str
    predicate: str
    object: str
    confidence: float
    start: int
    end: int


def find_relations(text: str) -> tuple[RelationFact, ...]:
    """Every tie of the vocabulary that a text states, in order of appearance, each once."""
    verbs = _verb_table()
    found: dict[tuple[str, str, str], RelationFact] = {}
    last: tuple[str, int] | None = None
    reached = 0
    for spot in WORD.finditer(text.lower() if text.isascii() else _lowered(text)):
        word = spot.group()
        if word in EQUATING:
            for one in equated(text, spot.start(), word):
                key = (one.name, "also_known_as", one.other)
                if not _asks(text, one.end):
                    found.setdefault(key, RelationFact(*key, 0.9, one.start, one.end))
        if word in KIN:
            for fact in _kinship(text, spot.start()):
                found.setdefault((fact.subject, fact.predicate, fact.object), fact)
        elif word in verbs:
            if last is not None and BREAK.search(text, reached, spot.start()):
                last = None
            reached = spot.start()
            last = _subject_of(text, spot.start(), last)
            if last is not None and not _asks(text, spot.end()):
                for fact in _facts_at(text, spot, last):
                    found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    for fact in _between_two(text) if " and " in text else ():
        found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    return tuple(sorted(found.values(), key=lambda fact: (fact.start, fact.end)))


def _between_two(text: str) -> Iterator[RelationFact]:
    for match in _pair_pattern().finditer(text):
        one, other = _clean(match["one"]), _clean(match["other"])
        if not _asks(text, match.end()) and cues.PLAIN.isdisjoint((one.lower(), other.lower())):
            yield RelationFact(one, _pairs()[match["said"]], other, 0.9, match.start(), match.end())


def _lowered(text: str) -> str:
    """Lower case with every position kept; a letter whose lower case is longer stays as it is."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _kinship(text: str, at: int) -> Iterator[RelationFact]:
    for pattern in (*kin_named(), *_kin_of()):
        for match in pattern.finditer(text, max(0, at - LEFT_WINDOW), at + LEFT_WINDOW):
            owner, name, kin = match["owner"], _clean(match["name"]), match["kin"]
            if match.start("kin") != at or _asks(text, match.end()) or name.lower() in cues.PLAIN:
                continue
            whose = _whose(owner)
            if name and name != whose:
                yield RelationFact(name, KIN[kin], whose, 0.9, match.start(), match.end())


def _facts_at(text: str, spot: re.Match[str], subject: tuple[str, int]) -> Iterator[RelationFact]:
    name, start = subject
    left = text[max(0, spot.start() - 40) : spot.start()]
    if spot.group() in TASTE and not _can_like(spot.group(), left, name):
        return
    if spot.group() in JOBS and not IS_A.search(left):
        return
    for verb in _verb_table()[spot.group()]:
        match = verb.rest.match(text, spot.end())
        if match is None or (verb.kind and not _is_known_as(verb.kind, match["object"])):
            continue
        for piece, end in _objects(text, match):
            ends = (piece, verb.predicate, name) if verb.swap else (name, verb.predicate, piece)
            if ends[0] != ends[2]:
                yield RelationFact(*ends, verb.confidence, start, end)
        return


def _is_known_as(kind: str, phrase: str) -> bool:
    """Whether the first words of a phrase are a name that is known to be of a kind."""
    words = phrase.lower().rstrip(".,;:!?").split()
    return any(cues.KINDS.get(" ".join(words[:size])) == kind for size in range(len(words), 0, -1))


def _can_like(verb: str, left: str, name: str) -> bool:
    """Only people like and own; after a form of be "like" compares, and one person "likes"."""
    if name == USER:
        return not left.endswith(COPULA) and not POSSESSED.search(left)
    return name[0].isupper() and verb.endswith("s") and not left.endswith(COPULA)


def _objects(text: str, match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The object and those coordinated with it: "German, French and Dutch"."""
    piece, end = _trimmed(match["object"], match.start("object"))
    while piece:
        yield piece, end
        if not piece[0].isupper() and not cues.is_name(piece):
            return
        more = _another_pattern().match(text, end)
        if more is None or not (more["object"][0].isupper() or cues.is_name(more["object"].lower())):
            return
        piece, end = _trimmed(more["object"], more.start("object"))


def _trimmed(phrase: str, start: int) -> tuple[str, int]:
    """The phrase up to the first word that begins something else, and where it ends."""
    kept: list[str] = []
    for word in phrase.split(" "):
        bare = word.rstrip(".,;:!?")
        lower = word.lower()
        if lower in STOP_OBJECT or (kept and (lower in cues.CALENDAR or lower.endswith("ly"))):
            break
        kept.append(bare)
        if bare != word:
            break
    if not kept or kept[0].lower() in cues.PLAIN | cues.CALENDAR:
        return "", start
    piece = " ".join(kept)
    name = _clean(piece)
    return (name, start + len(piece)) if name and not name.isdigit() else ("", start)


def _subject_of(text: str, at: int, last: tuple[str, int] | None) -> tuple[str, int] | None:
    """Who does what the verb at a position says, and where that was named."""
    begin = max(0, at - LEFT_WINDOW)
    left = text[begin:at].removesuffix("co-")
    match = _subject_pattern().search(left)
    if match is None or left.endswith(", "):
        return last if left.endswith(JOINS) else None
    middle = match["middle"].lower().replace(",", " ").replace("’", "'").replace("'", " '").split()
    if CANCELS.intersection(middle) or left.endswith(CANCELLING_ENDS):
        return None
    if not JOINED.isdisjoint((*middle, match["subject"].rpartition(" ")[2])):
        return last
    subject, start = match["subject"], begin + match.start("subject")
    while " " in subject and subject.partition(" ")[0].lower() in OPENERS:
        if subject.partition(" ")[0].lower() in CONDITIONS:
            return None
        start += subject.index(" ") + 1
        subject = subject.partition(" ")[2]
    if text[max(0, start - 8) : start].lower().split()[-1:] in CONDITION_ENDS:
        return None
    if not BETWEEN.issuperset(middle) and not _is_role(middle):
        return None
    if subject.lower() in NOBODY or subject[:2] in ("I'", "I’"):
        return None
    return _named(subject), start


def _is_role(middle: list[str]) -> bool:
    """ "I am a senior engineer at": words between a form of be and the noun are its description."""
    return bool(middle) and middle[0] in ("am", "is", "'m", "'s")


def _named(phrase: str) -> str:
    phrase = phrase.rstrip(",")
    if phrase.lower() in ("i", "we", USER):
        return USER
    match = kin_subject().match(phrase)
    if match is None:
        return _clean(DETERMINER.sub("", phrase))
    if match["name"]:
        return _clean(match["name"])
    whose, _, rest = phrase.partition(" ")
    if whose.lower() in ("my", "our"):
        return f"{USER}'s {rest}"
    return USER + phrase[len(USER) :] if phrase.lower().startswith(USER) else phrase


def _asks(text: str, at: int) -> bool:
    """Whether the sentence around a position is a question."""
    match = SENTENCE_END.search(text, at, at + SENTENCE_WINDOW)
    return match is not None and match.group() == "?"


def _clean(name: str) -> str:
    return POSSESSIVE.sub("", name.strip(" ,.;:!?-"))


_SEQUENCES: Final = page("sequences")
_CAUSAL: Final = tuple(_SEQUENCES.listing("causal").split("\n"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SEQUENCES.pattern("patterns", name), re.IGNORECASE)


def consequences(text: str) -> tuple[str, ...]:
    """Cause and effect as "cause -> effect", where the text states them."""
    lower = text.lower()
    if not any(sign in lower for sign in _CAUSAL):
        return ()
    for pattern in map(_pattern, ("first", "why", "so", "because", "verb", "after")):
        if (match := pattern.match(text)) and not _asks(text, match.end() - 1):
            return (f"{match['cause'].strip()} -> {match['effect'].strip()}",)
    return ()


def steps(text: str) -> tuple[str, ...]:
    """The steps of a procedure, where they are numbered or told in order."""
    pieces = [piece.strip(" .;,\n") for piece in _pattern("step").split(text)]
    found = tuple(piece for piece in pieces if piece)
    return found if len(found) > 1 else ()
