"""Words that only a slip of the pen keeps apart: a letter too many, missing, wrong, or two swapped.

Owns which words may be slips of each other, and the spelling of a cue and a text alike where they are. Knows no
memories. Invariants: any text is safe; names are the same but for swapped letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase
from typing import Final

from palazzo.text.meaning.answering import SLIP_LETTERS, Word, reading
from palazzo.text.reader import judgements
from palazzo.text.words.parsed import once

_LETTERS: Final = ascii_lowercase
_LONG_LETTERS: Final = 7
_SWAPPED_LETTERS: Final = 5
_LONGEST_LETTERS: Final = 24
"""Letters of a word in which slips are looked for; what is longer is no word that somebody wrote by hand."""


def respelled(cue: str, text: str) -> tuple[str, str]:
    """A cue and a text with the words spelled alike that only a slip of the pen keeps apart."""
    told = reading(text)
    letters, slipped = _may_slip(cue)
    asked = [(low, word) for low, word in slipped if word.term not in told.terms]
    if not asked:
        return cue, text
    near = [
        (word.text.casefold(), word) for word in told.words
        if not word.small and ((first := word.text[:1]) in letters or not first.isascii())
    ]  # fmt: skip
    for low, word in asked:
        for said, other in near:
            if said[0] == low[0] and -2 < len(said) - len(low) < 2 and slip_of(word, other):
                if judgements.knows_word(said):
                    cue = cue.replace(word.text, other.text)
                else:
                    text = text.replace(other.text, word.text)
                break
    return cue, text


@once
def _may_slip(cue: str) -> tuple[frozenset[str], tuple[tuple[str, Word], ...]]:
    """The words of a cue that are long enough to tell a slip in them, each in small letters and as it stands, and the
    letters they begin with, small and capital: no slip changes the first."""
    words = [(word.text.casefold(), word) for word in reading(cue).words if not word.small]
    found = tuple((low, word) for low, word in words if len(low) >= SLIP_LETTERS)
    return frozenset(letter for low, _ in found for letter in (low[0], low[0].upper())), found


def slip_of(asked: Word, told: Word) -> bool:
    """Whether one of two words is the other with a slip of the pen: a letter too many, missing, wrong, or two swapped.

    One of them must be a word as it is spelled and the other none; of long words both may be unheard of, and of words
    with swapped letters. Of names only swapped letters are slips: Lana is not Lena.
    """
    one, other = asked.text.casefold(), told.text.casefold()
    short = min(len(one), len(other))
    if short < SLIP_LETTERS or abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    half = (short - 2) // 2  # of one slip at most, the letters before it or those behind it are half of a word
    if one[:half] != other[:half] and one[-half:] != other[-half:]:
        return False
    begin = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest, others = one[begin:], other[begin:]
    swapped = rest[:2] == others[1::-1] and rest[2:] == others[2:]
    longer, shorter = (rest, others) if len(one) >= len(other) else (others, rest)
    letter = longer[1:] == (shorter if len(one) != len(other) else shorter[1:])
    if not swapped and not (letter and not asked.name and not told.name):
        return False
    return _one_is_no_word(one, other, _SWAPPED_LETTERS if swapped else _LONG_LETTERS)


def _one_is_no_word(one: str, other: str, letters: int) -> bool:
    """Whether one is a word as it is spelled and the other none, or neither is and both have so many letters."""
    known = judgements.knows_word(one) + judgements.knows_word(other)
    return known == 1 or (known == 0 and min(len(one), len(other)) >= letters)


def slips_of(word: str, term: str) -> Iterator[str]:
    """Terms of what a word, in lower case, may be where it has a slip, or may be with one; only Latin letters come in.

    Where the slip leaves the ending alone, that is cut as it is cut off the word; reading each anew takes milliseconds.
    """
    if len(word) > _LONGEST_LETTERS:
        return
    same = next((at for at, (a, b) in enumerate(zip(word, term, strict=False)) if a != b), min(len(word), len(term)))
    ending, instead = word[same:], term[same:]
    known, knows = judgements.knows_word(word), judgements.knows_word
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        swapped = head + tail[1:2] + tail[:1] + tail[2:]
        made = [head + letter + rest for letter in _LETTERS for rest in {tail, tail[1:]}]
        made += [head + tail[1:], swapped] if tail else []
        for one in made:
            letters = _SWAPPED_LETTERS if one == swapped else _LONG_LETTERS
            if one != word and (knows(one) != known or (not known and min(len(word), len(one)) >= letters)):
                yield one
                if ending and one.endswith(ending):
                    yield one[: -len(ending)] + instead
