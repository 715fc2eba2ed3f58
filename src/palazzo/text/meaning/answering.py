"""What a cue asks about and what a text speaks of, as words that can be compared: meaningful words, names, sorts.

Owns the reading of both sides, in whatever language; what the words of a question and of its answer have to do with
each other is worked out elsewhere (recall/rank/relevance). Knows no vectors and no memories. Invariants: any text is
safe; a reading is a pure function of the text; words come in their order, each once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from palazzo.text.dates.words import MONTHS, WEEKDAYS
from palazzo.text.facts.slots.find import told_predicates
from palazzo.text.facts.slots.phrases import canonical_attributes, canonical_predicate
from palazzo.text.meaning.kinds import is_question
from palazzo.text.meaning.message import says_who
from palazzo.text.reader import judgements
from palazzo.text.words.grammar import NAME, PUNCT, base_of
from palazzo.text.words.language import UNDETERMINED, function_words, guess_language
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, page
from palazzo.text.words.parsed import known_once, once, parsed
from palazzo.text.words.remembered import emptied_by
from palazzo.text.words.tokens import STOP_WORDS, UNSPACED, word_terms

Sort = Literal["person", "place", "time", "number", "reason", "other", ""]
_PAGE: Final = page("asking", EVERY_LANGUAGE)
_SORTS: Final[tuple[Sort, ...]] = ("person", "place", "time", "number", "reason", "other")
_WORD: Final = re.compile(r"[a-zA-Z0-9]+(?:[.+#/@:-][a-zA-Z0-9]+)*[+#]*|'(?:s|m|re|ve|ll|d)\b")
"""The words of a text in plain letters; of others `_any_word` finds them, which takes long to be made."""
_END: Final = ".!?:;\n"
_MOST: Final = 120
"""Words of a text that are compared."""
_JOINED_RUN: Final = re.compile(r"[\w./-]+")
_JOINTS: Final = frozenset("._/-")
_LONGEST_IDENTIFIER: Final = 120
_ABBREVIATED, _INFLECTED = 3, 2
_MOST_MET: Final = 32_768
"""Words of one language whose readings are kept."""
_USER: Final = "user"
_BEGINNING: Final = 4
"""Words in which whoever a text is of is named."""
SLIP_LETTERS: Final = 4
"""Words with fewer letters are too many to tell a slip from another word."""


class Word(msgspec.Struct, frozen=True, gc=False):
    """A word as it is written, its index term, and whether it is a name or carries little meaning."""

    text: str
    term: str
    name: bool
    small: bool
    strange: bool = False
    """A word of another language that no glossary lists: only the same word is like it."""
    light: bool = False
    """What is asked of somebody, which an answer need not say."""


class CueReading(msgspec.Struct, frozen=True, gc=False):
    """What a cue asks about or a text speaks of."""

    words: tuple[Word, ...]
    """Each once, those that ask left out of a question."""
    terms: frozenset[str]
    sort: Sort
    """What a question asks for; empty for what is no question."""
    polar: bool
    """A question to which yes or no is the answer."""
    asks: bool
    own: bool
    """It speaks of the speaker: I, my, the user."""
    english: bool
    """Whether it is in English, is read in English by a glossary, or is in nothing that tells otherwise."""
    person: str
    """The term of whoever else it begins with: "my sister ...", "Anna ..."."""
    wanted: str
    """The word after what, which or how that says what is asked for, as it is written: colour, tall, port."""
    persons: frozenset[tuple[int, str]]
    """The same person by whatever word for it that is known."""
    names: tuple[str, ...]
    """The terms of its names."""
    members: frozenset[tuple[int, str]]
    """Members of classes whose members stand for one another's alternatives: breakfast and lunch, mother and father."""


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+(?:[.+#/@:-][^\W_{UNSPACED}]+)*[+#]*|[’'](?:s|m|re|ve|ll|d)\b")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(rf"[{UNSPACED}]{{2,}}")


@cache
def _asking(language: str) -> tuple[dict[str, Sort], tuple[tuple[str, Sort], ...]]:
    """Words that ask with their sort, those of the language first, and runs of signs for languages without spaces."""
    words: dict[str, Sort] = {}
    runs: list[tuple[str, Sort]] = []
    for sort in _SORTS:
        for of, listing in _PAGE.listings(sort).items():
            for word in listing.split():
                if of in ("zh", "ja"):
                    runs.append((word, sort))
                elif of == language or word not in words:
                    words[word] = sort
    return words, tuple(runs)


@cache
def _first() -> frozenset[str]:
    return frozenset(word for listing in _PAGE.listings("first").values() for word in listing.split())


@cache
def nouns_of_sorts() -> dict[str, Sort]:
    """Terms of nouns that say what sort of answer is wanted."""
    return {
        word_terms(word)[0]: sort  # type: ignore[misc]
        for sort, listing in _PAGE.listings("nouns").items() for word in listing.split()
    }  # fmt: skip


@cache
def _many() -> frozenset[str]:
    """How much, how many: what is asked for comes behind."""
    return frozenset(_term(word) for listing in _PAGE.listings("many").values() for word in listing.split())


@cache
def _people() -> frozenset[str]:
    return frozenset(word_terms(word)[0] for word in _PAGE.listings("people")[ENGLISH].split())


@cache
def _roles() -> frozenset[str]:
    return _people() | {word_terms(word)[0] for word in _PAGE.listings("roles")[ENGLISH].split()}


def names_somebody(text: str, besides: frozenset[str]) -> bool:
    """Whether a text names a person, or tells of one by what they are, beside those of some terms.

    What stands behind "in", "at" or "on" is a place or a thing, and so is what is written in capitals; a day is nobody.
    """
    tokens = parsed(text).tokens
    told = (
        word_terms(low)[0] for low, word, before, bit in zip(
            tokens.lower, tokens.words, ("", *tokens.lower), tokens.bits, strict=False
        )
        if not bit & PUNCT and low[:1].isalpha()
        and (word_terms(low)[0] in _roles() or (bit & NAME and _may_be_person(word, before)))
    )  # fmt: skip
    return any(term not in besides for term in told)


def _may_be_person(word: str, before: str) -> bool:
    low = word.casefold()
    return not (
        before in _WHERE or (word.isupper() and len(word) > 1) or low in _DAYS or low.removesuffix("s") in _DAYS
    )


_WHERE: Final = frozenset({"in", "at", "on", "into", "onto", "via"})
_DAYS: Final = frozenset({*WEEKDAYS, *MONTHS})


def begins_with_name(text: str) -> bool:
    """Whether the first word of a text is a name and no word that anybody else begins with."""
    tokens = parsed(text).tokens
    named = bool(tokens.bits) and tokens.bits[0] & NAME != 0 and not tokens.bits[0] & PUNCT
    return named and not judgements.knows_word(tokens.lower[0])


@cache
def _alternatives() -> dict[str, tuple[tuple[int, str], ...]]:
    """Term to its classes and the member of each that it is a word for."""
    found: dict[str, list[tuple[int, str]]] = {}
    lines = (line for listing in _PAGE.listings("alternatives").values() for line in listing.strip("\n").split("\n"))
    for number, line in enumerate(lines):
        for member in line.split(";"):
            words = member.split()
            for word in words:
                found.setdefault(_term(word), []).append((number, words[0]))
    return {term: tuple(classes) for term, classes in found.items()}


def _term(word: str) -> str:
    terms = word_terms(base_of(word))
    return terms[0] if terms else word


@cache
def _shape(sort: str) -> re.Pattern[str]:
    return re.compile(_PAGE.pattern("patterns", sort), re.IGNORECASE)


@once
def gives(text: str, sort: Sort) -> bool:
    """Whether a text has something of this sort in it; of a sort that has no marks of its own every text may have."""
    return sort not in ("time", "number", "place", "reason") or _shape(sort).search(text) is not None


_NONE: Final[frozenset[tuple[int, str]]] = frozenset()
_Placed = tuple[str, str, bool, tuple[tuple[int, str], ...]]
"""A word of texts in a language whose place tells more of it: in small letters, its term, whether it is small, and the
classes it is of."""


class _Met(dict[str, Word | None]):
    """The words of texts in a language that were met, each as it is read wherever it stands; none where its place tells
    more of it: a capital, something that asks, somebody."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._small = function_words(language) | _first()
        self._placed_words = _first() | _asking(language)[0].keys()
        self._placed = _people() | nouns_of_sorts().keys() | _many() | {_USER}
        self._alternatives = _alternatives()
        self._places: dict[str, _Placed] = {}
        self._unlisted: dict[str, Word] = {}
        emptied_by(self.clear)

    def __missing__(self, said: str) -> Word | None:
        lower, term, small, classes = self._read(said)
        placed = classes or said[0].isupper() or lower in self._placed_words or term in self._placed
        if len(self) >= _MOST_MET:
            self.clear()
        found = self[said] = None if placed else Word(said, said if term == said else term, False, small)
        return found

    def placed(self, said: str) -> _Placed:
        """The same of a word at a place that may tell more of it."""
        found = self._places.get(said)
        if found is None:
            found = self._places[said] = self._read(said)
        return found

    def unlisted(self, word: Word) -> Word:
        """A word as it is read where no glossary lists it."""
        found = self._unlisted.get(word.text)
        if found is None:
            strange = _is_strange(word.text.casefold())
            found = self._unlisted[word.text] = msgspec.structs.replace(word, strange=True) if strange else word
        return found

    def clear(self) -> None:
        super().clear()
        self._places.clear()
        self._unlisted.clear()

    def _read(self, said: str) -> _Placed:
        lower = said.casefold()
        term = _term(lower)
        small = lower in self._small or term in STOP_WORDS or said[0] in "'’"
        stemmed = len(term) <= _ABBREVIATED and len(lower) - len(term) > _INFLECTED  # a wedding is on no Wednesday
        return lower, term, small, () if stemmed else self._alternatives.get(term, ())


def _is_strange(lower: str) -> bool:
    """Whether a word that no glossary lists is none in English: hobby, hotel and computer are the same in both."""
    return len(lower) < SLIP_LETTERS or not judgements.knows_word(lower)


@cache
def _met(language: str) -> _Met:
    return _Met(language)


@once
def reading(text: str) -> CueReading:
    """Reads one side of the comparison."""
    told = parsed(text)
    language = ENGLISH if told.glossed else guess_language(text)
    read, unread, met = told.gloss, told.unread, _met(language)
    plain = read.isascii()
    every = (_WORD if plain else _any_word()).findall(read)[:_MOST]
    asks, states = _ends_asking(text), not is_question(text)
    first: dict[str, Word] = {}
    own = False
    if plain and not unread and all(known := list(map(met.__getitem__, every))):
        for word in known:
            first.setdefault(word.term, word)  # type: ignore[union-attr, arg-type]
        sort, person, wanted, names, members = _NOWHERE
    else:
        own, (sort, person, wanted, names, members) = _in_their_places(text, read, every, language, first)
    if language in (ENGLISH, UNDETERMINED) or told.language == ENGLISH:
        own = own or (not asks and says_who(text))
        for term in _attributes(text) if states else ():
            first.setdefault(term, Word(term, term, False, False))
    question = asks or not states
    return CueReading(
        tuple(first.values()), frozenset(first), sort if question else "", question and not sort,
        question, own, language in (ENGLISH, UNDETERMINED), person, wanted if question else "",
        frozenset(_alternatives().get(person, ())) or _NONE, names, members,
    )  # fmt: skip


_Told = tuple[Sort, str, str, tuple[str, ...], frozenset[tuple[int, str]]]
"""What a question asks for by its first words, whom a text begins with, the word for what is wanted, names, members."""
_NOWHERE: Final[_Told] = ("", "", "", (), _NONE)


def _in_their_places(
    text: str, read: str, every: Sequence[str], language: str, found: dict[str, Word]
) -> tuple[bool, _Told]:
    """Puts the words of a text whose places tell something into `found`; whether it speaks of the speaker, and the rest
    it tells."""
    asking, runs = _asking(language)
    unread, german = parsed(text).unread, parsed(text).language == "de"
    met, first, plain = _met(language), _first(), read.isascii()
    sort: Sort = ""
    own = False
    person = wanted = ""
    asked_at = named_at = -1
    members: set[tuple[int, str]] = set()
    names: list[str] = []
    passed = end = 0
    for place, said in enumerate(every):
        if not plain and _run().fullmatch(said):
            sort = sort or next((of for run, of in runs if run in said), "")
            own = own or _signs().speaks_of_self(said, language)
            _add_signs(found, said, asks=_ends_asking(text))
            continue
        word = met[said]
        if word is not None and place != named_at:
            found.setdefault(word.term, met.unlisted(word) if unread and said.casefold() in unread else word)
            continue
        lower, term, is_small, classes = met.placed(said)
        if lower in asking and (sort in ("", "other")) and place - asked_at < 4:
            sort = asking[lower]
            asked_at, named_at = place, place + (sort == "other")
            found.setdefault(lower, Word(said, lower, False, True))
            continue
        if lower in first:
            own = True
        members.update(classes)
        if sort == "other" and place - asked_at <= 3 and term in nouns_of_sorts() and lower != "personal":
            sort = nouns_of_sorts()[term]
        capital = begins = said[0].isupper()
        if capital:
            for one in every[passed : place + 1]:
                end = read.index(one, end) + len(one)
            passed, start = place + 1, end - len(said)
            begins = start == 0 or read[:start].rstrip()[-1:] in _END
        name = capital and not begins and not german and not is_small
        if sort not in ("", "person", "reason") and not wanted and place == named_at:
            if term in _many():
                named_at += 1
            elif not is_small or term in nouns_of_sorts():
                wanted = said
        if term == _USER:
            own, is_small = True, True
        if (
            not person
            and place < _BEGINNING
            and not is_small
            and (term in _people() or (begins and _like_name(said, read, end)))
        ):
            person = term
        if term in found:
            continue
        names += [term] if name else []
        found[term] = Word(said, term, name, is_small, lower in unread and _is_strange(lower))
    return own, (sort, person, wanted, tuple(names), frozenset(members) or _NONE)


def _add_signs(found: dict[str, Word], run: str, *, asks: bool) -> None:
    """Adds what a run of signs in a script without spaces says."""
    signs = _signs()
    for term in signs.asked(run) if asks else signs.told(run):
        # What is asked of somebody is often not said of them: "X is a nurse" tells X's work.
        light = asks and term in signs.respects
        found.setdefault(term, Word(term, term, False, term in signs.little, True, light))


def together(before: str, text: str) -> str:
    """Two texts as one, the second said right after the first; of texts that were read by themselves nothing is read
    again."""
    joined = f"{before} {text}"
    known_once(reading, joined, lambda: _joined(before, text))
    return joined


def _joined(before: str, text: str) -> CueReading | None:
    """The reading of two texts as one; None where it is not that of both: another language, or no end between them."""
    first, second = reading(before), reading(text)
    plain = not parsed(before).glossed and not parsed(text).glossed and first.english and second.english
    if not plain or before.rstrip()[-1:] not in _END or len(first.words) < _BEGINNING:
        return None
    found = dict(zip((word.term for word in first.words), first.words, strict=True))
    for word in second.words:  # what would ask at the beginning is a small word like any other behind it
        term = _term(word.text.casefold()) if word.small else word.term
        if term not in found:
            found[term] = msgspec.structs.replace(word, term=term) if term != word.term else word
    words = tuple(found.values())
    return msgspec.structs.replace(
        second, words=words, terms=frozenset(found), own=first.own or second.own, person=first.person,
        persons=first.persons, names=tuple(word.term for word in words if word.name),
        members=first.members | second.members,
    )  # fmt: skip


class _Signs:
    """How a run of signs in a script without spaces is read."""

    def __init__(self) -> None:
        listed = {language: listing.split() for language, listing in _PAGE.listings("little").items()}
        self.little = frozenset(word for words in listed.values() for word in words)
        self.first = frozenset(word for code in listed for word in _PAGE.listings("first")[code].split())
        self._topics = dict(_PAGE.listings("topic"))
        asking = [run for run, _ in _asking(ENGLISH)[1]]
        self._idle = _longest([*asking, *self.little])
        groups = [group.split() for listing in _PAGE.listings("alike").values() for group in listing.split(",")]
        self._alike = {word: group[0] for group in groups for word in group}
        self._kinds = _longest(list(self._alike))
        self.respects = frozenset(self._alike.values())

    def speaks_of_self(self, run: str, language: str) -> bool:
        """Whether the speaker is named, or nobody is in a language that then means them."""
        topic = self._topics.get(language, "")
        return any(word in run for word in self.first) or (bool(topic) and topic not in run)

    def asked(self, run: str) -> list[str]:
        """What a question is about: the pairs of signs that are left of it without small words and those that ask."""
        found = [self._alike[word] for word in self._kinds.findall(run)]
        for part in self._idle.sub(" ", self._kinds.sub(" ", run)).split():
            found += [part[at : at + 2] for at in range(len(part) - 1)] or [part]
        return found

    def told(self, run: str) -> list[str]:
        """What a text speaks of: its signs, and pairs of them."""
        found = [self._alike[word] for word in self._kinds.findall(run)]
        return [*found, *run, *(run[at : at + 2] for at in range(len(run) - 1))]


def _longest(words: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


@cache
def _signs() -> _Signs:
    return _Signs()


def identifiers(cue: str) -> list[str]:
    """Names of files, tickets and settings in a cue, in lower case: joined, with a letter, and more than a compound."""
    runs = (run.strip("./-") for run in _JOINED_RUN.findall(cue.lower()))
    return [
        run for run in runs
        if 2 < len(run) <= _LONGEST_IDENTIFIER and not _JOINTS.isdisjoint(run[1:-1]) and any(map(str.isalpha, run))
        and any(sign in "._/" or sign.isdecimal() for sign in run)
    ]  # fmt: skip


def reads_as_english(text: str) -> bool:
    """Whether a text is in English, or in a language that is read as English is, for want of a folder."""
    return parsed(text).language == ENGLISH


def _attributes(text: str) -> list[str]:
    """Words for whose value a statement gives without saying them: "I work as a nurse" tells a job."""
    called = _called()
    told = [*(called["name"] if says_who(text) else ()), *(called["role"] if _is_something(text) else ())]
    names = map(canonical_predicate, told_predicates(text))
    return [*told, *(term for name in names for term in called.get(name, ()))]


def _is_something(text: str) -> bool:
    """Whether somebody says in another language what they are, in a word that no glossary lists: likely their work."""
    read = parsed(text)
    if not read.glossed:
        return False
    said = [low for low in read.said.lower if low != "a"]
    stated = zip(said, said[1:], said[2:], strict=False)
    return any(who == "i" and is_ == "am" and what in read.unread and what.isalpha() for who, is_, what in stated)


@cache
def _called() -> dict[str, tuple[str, ...]]:
    """Canonical attribute to the single words it is called by."""
    found: dict[str, list[str]] = {}
    for phrase, name in canonical_attributes().items():
        if " " not in phrase:
            found.setdefault(name, []).append(word_terms(phrase)[0])
    return {name: tuple(words) for name, words in found.items()}


def _ends_asking(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


def _like_name(said: str, text: str, end: int) -> bool:
    """Whether a word that begins a text names somebody: "Anna's", "Anna has"."""
    return said[0].isupper() and said.isalpha() and text[end : end + 2] in ("'s", "’s")
