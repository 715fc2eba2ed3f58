"""Words of a text with their positions and their possible grammatical classes.

Owns the tokeniser, the closed word classes of English that clause splitting, pronoun resolution and slot finding share,
and the forms of verbs (a word outside their list is not "no verb": callers decide what it is). A class is a
possibility, not a verdict: `work` carries both the verb bits and the noun bit. Knows nothing of sentences or meaning.
Invariant: token offsets index the text they were made from, in order, without overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import add
from typing import Final

from palazzo.text.words.language import Glossary, Said, glossary, plain_words
from palazzo.text.words.lexicon import page
from palazzo.text.words.remembered import emptied_by
from palazzo.text.words.tokens import plain_runs

_PAGE: Final = page("grammar")
_VERBS: Final = page("verbs")

BASE: Final = 1
THIRD: Final = 2
PAST: Final = 4
PARTICIPLE: Final = 8
GERUND: Final = 16
NOUNISH: Final = 32  # the same letters are also a common noun or adjective, so the word alone proves nothing

_REGULAR: Final = _VERBS.words("regular")

_IRREGULAR: Final = _VERBS.in_order("irregular")

# Base forms that stand for nouns or adjectives at least as often as for verbs.
_NOUNISH_BASES: Final = _VERBS.words("nounish_bases")

_DOUBLED: Final = _VERBS.words("doubled")
_VOWELS: Final = "aeiou"


def third_person(base: str) -> str:
    """The present-tense form that goes with he, she and it: work, works; try, tries; have, has."""
    if base == "be":
        return "is"
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and len(base) > 1 and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    return base + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    return base + "ing"


@cache
def verb_table() -> dict[str, tuple[str, int]]:
    """Every known form, mapped to its base and its form bits."""
    table: dict[str, tuple[str, int]] = {}

    def put(word: str, base: str, bits: int) -> None:
        known = table.get(word)
        if known is None:
            table[word] = (base, bits)
        elif known[0] == base or bits & BASE:
            table[word] = (base if bits & BASE else known[0], known[1] | bits)
        else:
            table[word] = (known[0], known[1] | bits)

    for base in _REGULAR:
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(_past(base), base, PAST | PARTICIPLE)
        put(_gerund(base), base, GERUND)
    for row in _IRREGULAR:
        base, past, participle = row.split()
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(past, base, PAST | (NOUNISH if past in _NOUNISH_BASES else 0))
        put(participle, base, PARTICIPLE)
        put(_gerund(base), base, GERUND)
    return table


def forms_of(word: str) -> int:
    """Form bits of a lower-case word, or 0 when it is not a verb this module knows."""
    found = verb_table().get(word)
    return found[1] if found else 0


def base_of(word: str) -> str:
    """Base form of a known verb form; the word itself when unknown."""
    found = verb_table().get(word)
    return found[0] if found else word


@cache
def _irregular_forms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in _IRREGULAR:
        forms = tuple(dict.fromkeys(row.split()))
        found |= {form: tuple(other for other in forms if other != form) for form in forms if form not in found}
    return found


def other_forms(word: str) -> tuple[str, ...]:
    """The other forms of an irregular verb, which no stem joins: bought for buy; none for any other word."""
    return _irregular_forms().get(word, ())


DET: Final = 1 << 6
POSS: Final = 1 << 7  # my, your, his, ... and name's
SUBJ: Final = 1 << 8  # pronouns that can be a subject, contractions such as i'm included
PRON: Final = 1 << 9  # any other pronoun
PREP: Final = 1 << 10
COORD: Final = 1 << 11
SUBORD: Final = 1 << 12
WH: Final = 1 << 13
BE: Final = 1 << 14
HAVE: Final = 1 << 15
DO: Final = 1 << 16
MODAL: Final = 1 << 17
ADV: Final = 1 << 18
NEG: Final = 1 << 19
NUM: Final = 1 << 20
PUNCT: Final = 1 << 21
NAME: Final = 1 << 22  # capitalised, and not merely because it opens the text
ADJ: Final = 1 << 23
AUX: Final = BE | HAVE | DO | MODAL
FINITE: Final = THIRD | PAST | AUX
VERB: Final = BASE | THIRD | PAST | PARTICIPLE | GERUND

_TOKEN = re.compile(
    # Most words are letters with a blank or a comma after them: this says so before the general forms are tried.
    r"[A-Za-z]++(?![\w'’.\-/:@&+·%°#])"
    r"|(?<=[a-z]\s)[A-Z]\.(?=\s[a-z])"  # the initial of a name, in a sentence that goes on
    r"|[$€£¥₹]\s?\d[\d.,]*\d(?:[kKmMbB]\b)?|[$€£¥₹]\s?\d[kKmMbB]?"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[a-zA-Z%]{1,3}\b|%)?"
    r"|\w+(?:['’.\-/:@&+·]\w+)*(?:[%°]|\+\+|#|(?<=[sS])['’](?=\s))?"
    r"|\.\.\.+|--+|[^\w\s]"
)

_CLASSES: Final[dict[str, int]] = {
    "det": DET, "poss": POSS, "subj": SUBJ, "pron": PRON, "prep": PREP, "coord": COORD, "subord": SUBORD,
    "wh": WH, "be": BE, "have": HAVE, "do": DO, "modal": MODAL, "neg": NEG, "adv": ADV, "adj": ADJ, "num": NUM,
}  # fmt: skip

_OPENING: Final = frozenset('.!?:;"“(*-•')
_CONTRACTED: Final[tuple[tuple[str, int], ...]] = (
    ("'m", BE),
    ("'re", BE),
    ("'ve", HAVE),
    ("'ll", MODAL),
    ("'d", MODAL),
)


class Tokens:
    """Surface words of one text, lower-case words, class bits and offsets, side by side. Nobody changes them."""

    __slots__ = ("_ends", "_starts", "bits", "lower", "text", "words")

    def __init__(
        self, text: str, words: Iterable[str], lower: Iterable[str], bits: Iterable[int],
        starts: Iterable[int] | None = None,
    ) -> None:  # fmt: skip
        self.text = text
        # Tuples: of texts that are kept, a collector of garbage would look through every list again and again.
        self.words = tuple(words)
        self.lower = tuple(lower)
        self.bits = tuple(bits)
        self._starts = None if starts is None else tuple(starts)
        self._ends: tuple[int, ...] | None = None

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins; worked out when first asked for, since most readings never are."""
        if self._starts is None:
            starts: list[int] = []
            find, at = self.text.find, 0
            for word in self.words:
                at = find(word, at)
                starts.append(at)
                at += len(word)
            self._starts = tuple(starts)
        return self._starts

    @property
    def ends(self) -> tuple[int, ...]:
        """Where each word ends."""
        if self._ends is None:
            self._ends = tuple(map(add, self.starts, map(len, self.words)))
        return self._ends


_ROLES: Final = _PAGE.words("roles")
_NO_NOUN: Final = tuple(_PAGE.listing("no_noun").split())


@cache
def word_classes() -> dict[str, int]:
    """Class bits of every word with a fixed class, verbs included."""
    table: dict[str, int] = {word: bits for word, (_, bits) in verb_table().items()}
    for name, listed in _PAGE.listings("classes").items():
        for word in listed.split():
            table[word] = table.get(word, 0) | _CLASSES[name]
    for word in _PAGE.words("contracted_subjects"):
        for ending, bit in _CONTRACTED:
            table[word + ending] = SUBJ | bit
        if word not in ("i", "you", "we", "they"):
            table[word + "'s"] = SUBJ | BE
    for word in _PAGE.words("nouns_in_ly"):
        table[word] = table.get(word, 0) | NOUNISH
    table["there"] |= SUBJ
    for word in ("this", "that", "these", "those"):
        table[word] |= SUBJ
    for word in ("let's", "who's", "what's", "how's", "where's"):
        table[word] = table.get(word, 0) | (MODAL if word == "let's" else WH | BE)
    for word in _PAGE.words("no_verbs"):
        table[word] &= ~(BASE | THIRD | PAST | PARTICIPLE)
    table["like"] |= BASE
    for word in _PAGE.words("nouns_in_ing"):
        table[word] = table.get(word, GERUND) | NOUNISH
    table["being"] |= GERUND
    table["having"] |= GERUND
    return table


@cache
def _bare() -> dict[str, str]:
    """Contractions by what they are typed as without their sign ("im", "dont"), but for what is a word by itself."""
    words = _PAGE.words("words_without_sign")
    return {bare: word for word in word_classes() if "'" in word and (bare := word.replace("'", "")) not in words}


class _Words(dict[str, tuple[str, int]]):
    """Lower-case form and class bits by surface form, filled as words are met; bounded, since text is open-ended."""

    def __missing__(self, word: str) -> tuple[str, int]:
        low = word.lower()
        if "’" in low:
            low = low.replace("’", "'")
        found = word_classes().get(low)
        if found is None and low in _bare() and not (word.isupper() and len(word) > 1):
            low = _bare()[low]
            found = word_classes()[low]
        if found is None:
            found = _guess(word, low)
        if word[0].isupper():
            found |= _CAPITAL
        entry = (low, found)
        if len(word) < _LONGEST_REMEMBERED:
            if len(self) >= _MOST_REMEMBERED:
                self.clear()
            self[word] = entry
        return entry


_MOST_REMEMBERED: Final = 40_000
_LONGEST_REMEMBERED: Final = 40
_CAPITAL: Final = 1 << 30  # set while a text is read, never in what is handed out
_words = _Words()
emptied_by(_words.clear)


def tokenize(text: str) -> Tokens:
    """Words and punctuation of `text` with offsets and class bits."""
    surface = _TOKEN.findall(text)
    entries = list(map(_words.__getitem__, surface))
    lower = [low for low, _ in entries]
    bits = [bit for _, bit in entries]
    for at, marked in enumerate(bits):
        if marked & _CAPITAL:
            found = marked ^ _CAPITAL
            if at == 0 or (bits[at - 1] & PUNCT != 0 and lower[at - 1] in _OPENING):
                if not found & ~NOUNISH:
                    found |= NAME
            elif lower[at] != "i" and not found & SUBJ:
                found |= NAME
            bits[at] = found
    if "am" in lower:
        for at in range(1, len(lower)):
            if lower[at] == "am" and bits[at - 1] & NUM:
                bits[at] = NOUNISH
    return Tokens(text, surface, lower, bits)


_RUN = re.compile(r"\w+")


@cache
def _opens_short() -> frozenset[str]:
    """How what is written in haste begins, each up to its first sign: a plain text without any of them has none."""
    listed = page("grammar")
    return frozenset(_RUN.findall(word)[0] for name in ("shorthand", "short_days") for word in listed.labelled(name))


@cache
def _shorthand() -> tuple[re.Pattern[str], Mapping[str, str]]:
    written = page("grammar").labelled("shorthand")
    rest: dict[str, list[str]] = {}
    for word in written:
        rest.setdefault(word[0], []).append(re.escape(word[1:]))
    # By their first letters, of which each is tried once, it takes half of the time.
    words = "|".join(f"{first}(?:{'|'.join(ends)})" for first, ends in rest.items())
    return re.compile(rf"\b(?<![/@.-])(?:{words})(?![\w/@-])", re.IGNORECASE), written


def spelled_out(text: str) -> str:
    """A text with what is written in haste ("my gf's bday") in whole words."""
    words: Sequence[str] | None = None if "'" in text else plain_words(text)
    if text.isascii() and _opens_short().isdisjoint(plain_runs(text.lower(), joined=True) if words is None else words):
        return text
    hasty, written = _shorthand()
    days, names = _short_days()
    found_days = {found.group() for found in days.finditer(text)}
    if len(found_days) > 1 and not found_days <= {"Sat", "Sun"}:  # these are other words too: "Sat in the Sun"
        text = days.sub(lambda found: names[found.group().lower()], text)
    return hasty.sub(lambda found: written[found.group().lower()], text)


@cache
def _short_days() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Days in short, as in the plan of a week: "Mon piano, Tue judo"."""
    written = page("grammar").labelled("short_days")
    return re.compile(rf"\b(?:{'|'.join(word.capitalize() for word in written)})\b"), written


def said_in_english(tokens: Tokens, language: str) -> Tokens:
    """The same tokens, with the small words and verbs of a language that has a glossary said in English.

    Surface words and offsets stay those of the text.
    """
    listed = glossary("grammar", language)
    return tokens if listed is None else _said(tokens, listed)


_BEGIN_AFTER: Final = frozenset('.!?…:¿¡"«„“”»([')
"""Signs after which any word has a capital; after a comma only a name has."""


def _said(tokens: Tokens, listed: Glossary) -> Tokens:
    classes = word_classes()
    words, plain, marks, starts = _apart(tokens, listed)
    names = {at for at, bit in enumerate(marks) if at and bit & NAME and words[at - 1][-1:] not in _BEGIN_AFTER}
    said = listed.english(plain, names if listed.capitals_name else ())
    lower = [one.word for one in said]
    bits = [classes.get(one.word, marks[one.first] & ~NAME) if one.read else marks[one.first] for one in said]
    begins = [starts[one.first] for one in said]
    spoken = [tokens.text[starts[one.first] : starts[one.last - 1] + len(words[one.last - 1])] for one in said]
    # Where every noun has a capital it tells nothing of a noun that an article or a possessive announces.
    for at in range(1, len(bits)):
        if bits[at] & NAME and bits[at - 1] & (DET | POSS | ADJ):
            bits[at] = bits[at] & ~NAME | NOUNISH
    _set_articles(said, spoken, lower, bits, begins)
    order = list(range(len(lower)))
    if "?" not in lower:
        _set_subjects_first(bits, order)
    lower, bits = [lower[at] for at in order], [bits[at] for at in order]
    moved = list(range(len(lower)))
    _close_brackets(lower, bits, moved)
    order = [order[at] for at in moved]
    lower, bits = [lower[at] for at in moved], [bits[at] for at in moved]
    return Tokens(
        tokens.text, [spoken[at] for at in order], lower, bits, [begins[at] for at in order],
    )  # fmt: skip


def asked_in_english(said: Tokens) -> Tokens:
    """The same words as English asks: "where live I", "where I live" are "where do I live"."""
    words, lower, bits = list(said.words), list(said.lower), list(said.bits)
    while lower and lower[0] in ("¿", "¡"):
        del words[0], lower[0], bits[0]
    if "?" not in lower[-2:] or len(lower) < 4 or not bits[0] & WH:
        return Tokens(said.text, words, lower, bits)
    if lower[0] == "how" and lower[1] in ("is", "are") and lower[2] == "named":
        end = len(lower) - 1
        words[2:end], bits[2:end] = [*words[3:end], words[2]], [*bits[3:end], bits[2]]
        lower[:end] = ["what", lower[1], *lower[3:end], lower[2]]
        return Tokens(said.text, words, lower, bits)
    inside = range(1, len(bits) - 1)
    verb = next((at for at in inside if bits[at] & VERB and not bits[at] & (AUX | SUBJ)), 0)
    if not verb:  # "what car have I" has no other verb
        verb = next((at for at in inside if bits[at] & HAVE), 0)
    if verb and bits[verb + 1] & SUBJ:
        words[verb : verb + 2] = words[verb + 1], words[verb]
        lower[verb : verb + 2] = lower[verb + 1], lower[verb]
        bits[verb : verb + 2] = bits[verb + 1], bits[verb]
        verb += 1
    if verb and bits[verb - 1] & SUBJ and not any(bit & AUX for bit in bits[: verb - 1]):
        words.insert(verb - 1, "")
        lower.insert(verb - 1, "does" if lower[verb - 1] in ("he", "she", "it") else "do")
        bits.insert(verb - 1, AUX)
    return Tokens(said.text, words, lower, bits)


def _apart(tokens: Tokens, listed: Glossary) -> tuple[Sequence[str], Sequence[str], Sequence[int], Sequence[int]]:
    """Words, their lower-case forms, bits and places, with what an apostrophe joins taken apart."""
    words: list[str] = []
    plain: list[str] = []
    bits: list[int] = []
    starts: list[int] = []
    if not any("'" in low for low in tokens.lower):
        return tokens.words, tokens.lower, tokens.bits, tokens.starts
    for word, low, bit, start in zip(tokens.words, tokens.lower, tokens.bits, tokens.starts, strict=True):
        at = 0
        for part in listed.parts(low):
            own = word[at : at + len(part)]
            words.append(own)
            plain.append(part)
            # A name behind an elided article has its capital in the middle: "d'Anna".
            bits.append(bit | NAME if at and own[:1].isupper() else bit)
            starts.append(start + at)
            at += len(part)
    return words, plain, bits, starts


def _set_articles(said: list[Said], spoken: list[str], lower: list[str], bits: list[int], begins: list[int]) -> None:
    """Sets the article before what somebody is, which others leave out: "je suis pompier", "ich bin Schlosser"."""
    for at in range(len(lower) - 1, 1, -1):
        if not bits[at - 1] & BE or not bits[at - 2] & SUBJ:
            continue
        bare = lower[at] in _ROLES or (
            not said[at].read and not bits[at] & (NAME | PUNCT | NUM) and lower[at].isalpha()
        )
        if bare and not lower[at].endswith(_NO_NOUN):
            spoken.insert(at, "")
            lower.insert(at, "a")
            bits.insert(at, DET)
            begins.insert(at, begins[at])


def _set_subjects_first(bits: list[int], order: list[int]) -> None:
    """Sets who does something before the verb where something else opens the clause: "tomorrow fly we"."""
    for at in range(1, len(bits) - 1):
        opened = not bits[at - 1] & (SUBJ | PUNCT | COORD)
        if opened and bits[at] & (AUX | VERB) and bits[at + 1] & SUBJ and not bits[at + 1] & (AUX | DET | POSS):
            order[at], order[at + 1] = order[at + 1], order[at]


def _close_brackets(lower: list[str], bits: list[int], order: list[int]) -> None:
    """Sets a participle that ends its clause behind the auxiliary it belongs to: "i have moved to Kiel"."""
    opened = -1
    for at, bit in enumerate(list(bits)):
        if bit & PUNCT:
            opened = -1
        elif bit & (BE | HAVE) and opened < 0:
            opened = at
        elif bit & PARTICIPLE and 0 <= opened < at - 1 and (at + 1 == len(bits) or bits[at + 1] & (PUNCT | COORD)):
            order.insert(opened + 1, order.pop(order.index(at)))
            lower[opened], bits[opened] = ("has", HAVE) if lower[opened] in ("is", "has") else ("have", HAVE)
            opened = -1


def _guess(word: str, low: str) -> int:
    """Class bits of a word outside the tables, from its shape alone."""
    if low.isalpha() and (len(low) < 5 or low[-1] not in "ygd"):
        return 0
    first = word[0]
    if not (first.isalnum() or first == "_"):
        return NUM if len(word) > 1 and first in "$€£¥₹" else PUNCT
    if first.isdigit():
        return NUM
    if low.endswith(("'s", "s'")):
        return POSS | NOUNISH
    if low.endswith("n't"):
        return MODAL | NEG
    size = len(low)
    if size > 4 and "-" not in low:
        if low.endswith("ly"):
            return ADV
        if low.endswith("ing") and size > 5:
            return GERUND | NOUNISH
        if low.endswith("ed"):
            return PAST | PARTICIPLE | ADJ
        if low[-3:] in ("'ve", "'re", "'ll") or low[-2:] in ("'m", "'d"):
            return SUBJ | AUX
    return 0
