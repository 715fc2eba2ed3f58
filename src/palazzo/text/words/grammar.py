"""Words of a text with their positions and their possible grammatical classes.

Owns the tokeniser and the closed word classes of English that clause splitting, pronoun resolution and slot finding
share. A class is a possibility, not a verdict: `work` carries both the verb bits and the noun bit. Knows nothing of
sentences or meaning. Invariant: token offsets index the text they were made from, in order, without overlap.
"""

from __future__ import annotations

import re
from functools import cache
from operator import add
from typing import Final

from palazzo.text.words import verbs
from palazzo.text.words.glossary import Glossary, glossary
from palazzo.text.words.lexicon import page
from palazzo.text.words.remembered import emptied_by

BASE: Final = verbs.BASE
THIRD: Final = verbs.THIRD
PAST: Final = verbs.PAST
PARTICIPLE: Final = verbs.PARTICIPLE
GERUND: Final = verbs.GERUND
NOUNISH: Final = verbs.NOUNISH
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
    r"|[$€£¥₹]\s?\d[\d.,]*\d(?:[kKmMbB]\b)?|[$€£¥₹]\s?\d[kKmMbB]?"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?:[a-zA-Z%]{1,3}\b|%)?"
    r"|\w+(?:['’.\-/:@&+·]\w+)*(?:[%°]|\+\+|#|(?<=[sS])['’](?=\s))?"
    r"|\.\.\.+|--+|[^\w\s]"
)

_PAGE: Final = page("grammar")
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
    """Parallel lists over one text: surface words, lower-case words, class bits and offsets. Nobody changes them."""

    __slots__ = ("_ends", "_starts", "bits", "lower", "text", "words")

    def __init__(
        self, text: str, words: list[str], lower: list[str], bits: list[int], starts: list[int] | None = None
    ) -> None:
        self.text = text
        self.words = words
        self.lower = lower
        self.bits = bits
        self._starts = starts
        self._ends: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Where each word begins; worked out when first asked for, since most readings never are."""
        if self._starts is None:
            self._starts = starts = []
            find, at = self.text.find, 0
            for word in self.words:
                at = find(word, at)
                starts.append(at)
                at += len(word)
        return self._starts

    @property
    def ends(self) -> list[int]:
        """Where each word ends."""
        if self._ends is None:
            self._ends = list(map(add, self.starts, map(len, self.words)))
        return self._ends


@cache
def word_classes() -> dict[str, int]:
    """Class bits of every word with a fixed class, verbs included."""
    table: dict[str, int] = {word: bits for word, (_, bits) in verbs.verb_table().items()}
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


class _Words(dict[str, tuple[str, int]]):
    """Lower-case form and class bits by surface form, filled as words are met; bounded, since text is open-ended."""

    def __missing__(self, word: str) -> tuple[str, int]:
        low = word.lower()
        if "’" in low:
            low = low.replace("’", "'")
        found = word_classes().get(low)
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


def said_in_english(tokens: Tokens, language: str) -> Tokens:
    """The same tokens, with the small words and verbs of a language that has a glossary said in English.

    Surface words and offsets stay those of the text.
    """
    listed = glossary("grammar", language)
    return tokens if listed is None else _said(tokens, listed)


def _said(tokens: Tokens, listed: Glossary) -> Tokens:
    classes = word_classes()
    lower = [one.word for one in listed.english(tokens.lower)]
    bits = [
        bit if low == own else classes.get(low, bit & ~NAME)
        for low, own, bit in zip(lower, tokens.lower, tokens.bits, strict=True)
    ]
    # Where every noun has a capital it tells nothing of a noun that an article or a possessive announces.
    for at in range(1, len(bits)):
        if bits[at] & NAME and bits[at - 1] & (DET | POSS | ADJ):
            bits[at] = bits[at] & ~NAME | NOUNISH
    order = list(range(len(lower)))
    _close_brackets(lower, bits, order)
    return Tokens(
        tokens.text, [tokens.words[at] for at in order], [lower[at] for at in order], [bits[at] for at in order],
        [tokens.starts[at] for at in order],
    )  # fmt: skip


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
