"""Whether a clause says anything worth remembering, judged from its words alone.

Owns the words of small talk (greetings, acknowledgements, praise, reactions) and the weighing of a clause: how many
words carry content, and whether something ties them to a person, a number, a time or a name. Knows nothing about how
clauses were found. A clause is dropped only with a reason; "filler" means that nothing is left once the small talk is
taken away.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    COORD,
    DET,
    GERUND,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PAST,
    POSS,
    PREP,
    PRON,
    PUNCT,
    SUBJ,
    SUBORD,
    THIRD,
    WH,
    Tokens,
    base_of,
)
from palazzo.text.words.lexicon import page
from palazzo.text.words.remembered import emptied_by

_PAGE: Final = page("filler")

_GREETING: Final = _PAGE.words("greeting")
_ACKNOWLEDGEMENT: Final = _PAGE.words("acknowledgement")
_INTERJECTION: Final = _PAGE.words("interjection")
_ADDRESS: Final = _PAGE.words("address")
# Words of judgement and feeling: they colour a statement, they do not make one.
_JUDGEMENT: Final = _PAGE.words("judgement")
# Adjectives of order and degree: neither content nor judgement.
_PLAIN: Final = _PAGE.words("plain")
# Verbs and nouns that chat is made of; none of them says what a thing is about.
_CHAT: Final = _PAGE.words("chat")
_TIME: Final = _PAGE.words("time")
_SECOND: Final = _PAGE.words("second")
_FIRST: Final = _PAGE.words("first")
_PLURAL: Final = _PAGE.words("plural")
_PAST_AUXILIARIES: Final = _PAGE.words("past_auxiliaries")
# After these, the speaker talks about the other's good, not about a fact ("I bet you ...", "I'm glad you ...").
_PHATIC_VERBS: Final = _PAGE.words("phatic_verbs")
_STANDING: Final = _PAGE.words("standing")
_LIKING: Final = _PAGE.words("liking")
_LIKERS: Final = _PAGE.words("likers")
_FUTURE: Final = _PAGE.words("future")
_PROMISING: Final = _PAGE.words("promising")
_NO_PAST_AFTER: Final = AUX | GERUND | DET | PREP
_GENERIC_SUBJECTS: Final = _PAGE.words("generic_subjects")
_NEVER_ENOUGH: Final = 1000
_FUNCTION: Final = DET | POSS | SUBJ | PRON | PREP | COORD | SUBORD | WH | AUX | ADV | NEG
_DUTY: Final = _PAGE.words("duty")
_SYMPATHY: Final = _PAGE.words("sympathy")
_POINTING: Final = _PAGE.words("pointing")
_THIRD: Final = _PAGE.words("third")
_PARTING: Final = _PAGE.words("parting")
_ENDING: Final = _PAGE.words("ending")
_STATUSES: Final = page("slots").words("statuses")
_THANKS: Final = _PAGE.words("thanks")


class Weight(NamedTuple):
    """What is left of a clause without its small talk, and whom it speaks of; a tuple, for every clause has one."""

    words: int
    content: int
    tied: bool  # a number, a name or a time
    first_person: bool  # I, me, my
    plural_person: bool  # we, us, our
    second_person: bool
    past: bool
    judged: bool  # a word of praise, blame or feeling
    likes: bool  # "I love", "we enjoy"
    future: bool  # will, gonna, can
    promised: bool  # will, gonna
    reason: str  # what the clause would be dropped as


_SMALL: Final = _GREETING | _ACKNOWLEDGEMENT | _INTERJECTION | _JUDGEMENT | _CHAT | _PLAIN | _ADDRESS
_PAIRS: Final = frozenset(tuple(phrase.split()[:2]) for phrase in _PAGE.phrases("phrases"))
"""First two words of things people say to be kind."""
_OPENERS: Final = frozenset([*_GREETING, *_ACKNOWLEDGEMENT, *_INTERJECTION, *_ADDRESS, *_PAGE.words("openers")])
_COURTESY: Final = _PAGE.words("courtesy")


def lead_in(tokens: Tokens, first: int, last: int, ignored: frozenset[str]) -> int:
    """Index of the first token after opening interjections and the person they address ("Thanks, Anna, ...")."""
    lower, bits, words = tokens.lower, tokens.bits, tokens.words
    at = first
    end = first
    seen = False
    if (
        last - first > 2
        and lower[first + 1] == ","
        and (lower[first] in ignored or is_short_name(lower[first], ignored))
    ):
        at = end = first + 2
        seen = True
    if last - first > 2 and lower[first] == "so" and lower[first + 1] in _OPENERS:
        at, seen = first + 1, True
    if after := _after_thanks(tokens, first, last):
        at = end = after
        seen = True
    while at < last:
        low = lower[at]
        if low == "no" and at + 1 < last and lower[at + 1] in _ENDING:
            break  # "No more sushi": no answer, but that something is over
        if low in _OPENERS:
            following = bits[at + 1] if at + 1 < last else PUNCT
            if not seen and following & (AUX | PREP | DET | POSS) and not following & ADV and low not in _GREETING:
                if low not in _COURTESY:
                    break
                if following & (PREP | AUX | POSS) and low not in ("oh", "wow", "yes", "yeah", "no", "ok"):
                    break
            seen = True
            at += 1
        elif seen and (low in ignored or (bits[at] & NAME and words[at][0].isupper() and _vocative(tokens, at, last))):
            at += 1
        elif seen and low in (",", "!", ".", "-", "—", "–", "..."):
            at += 1
            end = at
        elif (
            seen
            and low in ("so", "very", "much", "there", "again", "a", "lot", "you")
            and _still_open(tokens, at, last)
        ) or (seen and low == "so" and at + 1 < last and bits[at + 1] & (SUBJ | POSS)):
            at += 1
        else:
            break
    if at >= last:
        return last
    if seen and end == first and at > first and bits[at] & (SUBJ | POSS):
        return at
    return end


def _after_thanks(tokens: Tokens, first: int, last: int) -> int:
    """Where the thanks end that name briefly what they are for ("Thank you so much for yesterday, ..."); 0 for none."""
    lower, bits = tokens.lower, tokens.bits
    if lower[first] not in _THANKS:
        return 0
    named = next((at for at in range(first + 1, min(first + 6, last)) if lower[at] == "for"), 0)
    end = next((at for at in range(named, min(named + 5, last)) if lower[at] in ",.!"), 0) if named else 0
    brief = end and not any(bit & (SUBJ | AUX) for bit in bits[named:end])
    return end + 1 if brief else 0


def _vocative(tokens: Tokens, at: int, last: int) -> bool:
    return at + 1 >= last or tokens.lower[at + 1] in (",", "!", ".", "-", "—")


def _still_open(tokens: Tokens, at: int, last: int) -> bool:
    """Whether the words up to the next comma are still part of the thanks or greeting."""
    for here in range(at, min(at + 4, last)):
        if tokens.lower[here] in (",", "!", "."):
            return True
    return last - at <= 3


class _Marks(dict[str, int]):
    """What a lower-case word marks in a clause, filled as words are met; bounded, since text is open-ended."""

    def __missing__(self, low: str) -> int:
        found = self._listed(low) if low in _MARKED or low in _SMALL or low[-2:] == "'s" else 0
        if len(self) >= _WORDS_REMEMBERED:
            self.clear()
        if len(low) <= _LONGEST_REMEMBERED:
            self[low] = found
        return found

    def _listed(self, low: str) -> int:
        small = low in _SMALL
        listed = (
            (_IS_TIME, low in _TIME or (low[-2:] == "'s" and low[:-2] in _TIME)), (_IS_SMALL, small),
            (_IS_JUDGED, small and low in _JUDGEMENT), (_IS_LIKING, small and low in _LIKING),
            (_IS_FUTURE, low in _FUTURE), (_IS_PROMISED, low in _PROMISING), (_IS_FIRST, low in _FIRST),
            (_IS_PLURAL, low in _PLURAL), (_IS_SECOND, low in _SECOND), (_IS_PAST, low in _PAST_AUXILIARIES),
        )  # fmt: skip
        return sum(mark for mark, holds in listed if holds)


_MARKED: Final = _TIME | _FUTURE | _PROMISING | _FIRST | _PLURAL | _SECOND | _PAST_AUXILIARIES
_IS_TIME, _IS_SMALL, _IS_JUDGED, _IS_LIKING, _IS_FUTURE = 1, 2, 4, 8, 16
_IS_PROMISED, _IS_FIRST, _IS_PLURAL, _IS_SECOND, _IS_PAST = 32, 64, 128, 256, 512
_OF_FUNCTION: Final = _IS_FUTURE | _IS_PROMISED | _IS_FIRST | _IS_PLURAL | _IS_SECOND | _IS_PAST
_WORDS_REMEMBERED: Final = 40_000
_LONGEST_REMEMBERED: Final = 40
_marks = _Marks()
emptied_by(_marks.clear)


def weigh(tokens: Tokens, first: int, last: int, ignored: frozenset[str]) -> Weight:
    """Content, ties and persons of the tokens from `first` up to `last`; `ignored` are the names of the two."""
    lower, bits = tokens.lower, tokens.bits
    content: set[str] = set()
    words = seen = 0
    tied = past = likes = False
    before = 0  # class bits of the last word that is not an adverb
    for at in range(first, last):
        bit = bits[at]
        if bit & PUNCT:
            continue
        low = lower[at]
        words += 1
        if bit & PAST and not bit & NOUNISH and not before & _NO_PAST_AFTER:
            past = True
        if not bit & ADV:
            before = bit
        marks = _marks[low]
        if marks & (_IS_TIME | _IS_SMALL):
            if marks & _IS_TIME:
                tied = True
                content.add(low)
            else:
                seen |= marks & _IS_JUDGED
                likes = likes or (marks & _IS_LIKING != 0 and at > first and lower[at - 1] in _LIKERS)
            continue
        if bit & _FUNCTION:
            seen |= marks & _OF_FUNCTION
            if not bit & (NAME | POSS):
                continue
        elif not bit & (NAME | NUM | POSS) and low[-2:] != "'s":
            if low not in ignored:
                base = base_of(low)
                if base == low or not _marks[base] & _IS_SMALL:
                    content.add(base)
            continue
        owner = low.endswith("'s") and not bit & SUBJ
        if owner:
            low = low[:-2]
        if low in ignored or _marks[low] & _IS_SMALL or (bit & NAME and is_short_name(low, ignored)):
            continue
        if bit & NUM:
            tied = True
            content.add(low)
        elif bit & NAME and tokens.words[at][0].isupper():
            tied = tied or at > first or owner
            content.add(low)
        elif owner:
            content.add(low)
        elif not bit & _FUNCTION:
            base = base_of(low)
            if not _marks[base] & _IS_SMALL:
                content.add(base)
    return Weight(
        words, len(content), tied, seen & _IS_FIRST != 0, seen & _IS_PLURAL != 0, seen & _IS_SECOND != 0,
        past or seen & _IS_PAST != 0, seen & _IS_JUDGED != 0, likes, seen & _IS_FUTURE != 0, seen & _IS_PROMISED != 0,
        _reason(lower[first] if first < last else "", words),
    )  # fmt: skip


def is_short_name(word: str, names: frozenset[str]) -> bool:
    """Whether a word is the short form of one of the names ("Mel" of Melanie)."""
    return len(word) > 2 and any(name.startswith(word) for name in names)


def _reason(opening: str, words: int) -> str:
    if opening in _GREETING or (words <= 6 and opening in _PARTING):
        return "greeting"
    if opening in _ACKNOWLEDGEMENT:
        return "acknowledgement"
    return "too_short" if words < 2 else "filler"


def is_empty_talk(
    tokens: Tokens, span: tuple[int, int], weight: Weight, *, command: bool = False, to_machine: bool = False
) -> bool:
    """Whether the clause in `span`, of this weight, says nothing that could matter later."""
    first, last = span
    needed = _needed(tokens, first, last, weight, command=command, to_machine=to_machine)
    if first + 1 < last and (tokens.lower[first], tokens.lower[first + 1]) in _PAIRS:
        needed += 1 if weight.tied else 3
    return weight.content < needed


def _needed(tokens: Tokens, first: int, last: int, weight: Weight, *, command: bool, to_machine: bool) -> int:
    """How many content words a clause of this sort must have to say something."""
    opening = tokens.lower[first]
    if opening == "no" and tokens.lower[first + 1 : first + 2] and tokens.lower[first + 1] in _ENDING and to_machine:
        return 1
    if weight.tied:
        if weight.judged and not weight.first_person and not weight.plural_person:
            return 2
        return 2 if (weight.second_person and not weight.first_person) or _is_verbless(tokens, first, last) else 1
    if opening in _SECOND:
        duty = to_machine or any(word in _DUTY for word in tokens.lower[first : min(last, first + 5)])
        return (
            2 if duty and not weight.first_person else 6 if weight.future or weight.judged or opening == "your" else 4
        )
    if command:
        standing = to_machine or _is_standing(tokens, first, last)
        return 2 if standing or weight.first_person else 6 if weight.second_person else 3
    if weight.likes:
        return 3 if weight.second_person else 1
    if opening == "let's":
        return 6
    if opening in _POINTING:
        if weight.second_person:
            return 5
        if weight.first_person:
            return 1 if weight.past else 2
        return 5 if weight.judged and not weight.past else 3
    if weight.first_person:
        return _needed_of_self(tokens, first, last, weight, to_machine=to_machine)
    if weight.plural_person:
        if weight.past or to_machine:
            return 1
        return 2 if opening == "our" else 5 if weight.judged else 3
    if opening.partition("'")[0] in _THIRD:
        return 3 if weight.second_person else 1
    if tokens.bits[first] & WH:
        return 5
    if _is_general(tokens, first, last):
        return 2 if weight.past else _NEVER_ENOUGH if weight.judged else 4 if to_machine else 7
    if _is_verbless(tokens, first, last):
        return 4 if weight.judged else 2
    particular = DET | POSS if not to_machine else DET | POSS | NAME
    if (weight.judged or weight.future) and not weight.past and not tokens.bits[first] & particular:
        return 4 if to_machine else 5
    told = to_machine and tokens.bits[first] & (DET | POSS) and not _STATUSES.isdisjoint(tokens.lower[first:last])
    return 4 if weight.second_person else 1 if told else 2  # "The kitchen is done"


def _is_verbless(tokens: Tokens, first: int, last: int) -> bool:
    """Whether no word of a clause is a verb."""
    for bit in tokens.bits[first:last]:
        if bit & (AUX | PAST) or (bit & (THIRD | BASE | GERUND) and not bit & NOUNISH):
            return False
    return not _verb_by_place(tokens, first, last)


def _verb_by_place(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a word that is a noun elsewhere stands where only a verb can: "I work at a bank", "she plans to"."""
    bits = tokens.bits
    return any(
        bits[at] & (BASE | THIRD) and bits[at - 1] & SUBJ and not bits[at - 1] & (AUX | DET)
        for at in range(first + 1, last)
    )


def _needed_of_self(tokens: Tokens, first: int, last: int, weight: Weight, *, to_machine: bool) -> int:
    """The same for a clause in which the speaker speaks of themselves."""
    opening = tokens.lower[first : min(last, first + 6)]
    if weight.second_person and any(word in _PHATIC_VERBS for word in opening):
        return 5
    if any(word in _SYMPATHY for word in opening) and any(word in ("how", "why", "what") for word in opening):
        return 5
    # Between people "I will try" is a courtesy; said to an assistant, whatever a person tells of themselves may matter.
    return 2 if not to_machine and not weight.past and (weight.second_person or weight.promised) else 1


def _is_standing(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a command is meant to hold from now on rather than to cheer somebody up."""
    return any(word in _STANDING for word in tokens.lower[first:last])


def _is_general(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a clause opens like a maxim, with a bare plural or an activity ("Setbacks are ...", "Sharing is ...")."""
    while first + 1 < last and tokens.bits[first] & ADV:
        first += 1
    low = tokens.lower[first]
    if low in _GENERIC_SUBJECTS:
        return True
    if tokens.bits[first] & (DET | POSS | SUBJ | NUM):
        return False
    return tokens.bits[first] & GERUND != 0 or (low.endswith("s") and not low.endswith(("ss", "us", "is")))
