"""Where one sentence holds several statements: clauses, shared subjects, gapped objects, questions inside statements.

Owns the cut of a token list into clauses; subordinate and relative clauses stay with their head. Knows nothing about
which clauses are worth keeping or who "I" is. Invariant: clauses are in order and disjoint, and together they cover
every token of the range they were cut from.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from palazzo.text.words import grammar
from palazzo.text.words.grammar import (
    ADJ,
    ADV,
    AUX,
    BASE,
    BE,
    COORD,
    DET,
    DO,
    FINITE,
    GERUND,
    HAVE,
    MODAL,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PARTICIPLE,
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
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("clauses")

_COORDINATORS: Final = frozenset(("and", "but", "so", "yet", "plus", "&"))
_BREAKS: Final = frozenset((",", ";", "—", "–", "--", "-", ":", "("))
_AUX_FIRST: Final = _PAGE.words("aux_first")
_WH_ASKING: Final = _PAGE.words("wh_asking")
# Clauses these words open are told as facts even inside a question ("now that I have 45 books, how do I ...").
_FACTIVE: Final = frozenset(("since", "because", "considering", "although", "though", "now", "given", "fact"))
# What these open is supposed and not told, where a question follows: "if I moved to Canada, would I need a visa?"
_SUPPOSING: Final = frozenset(("if", "unless", "suppose", "supposing", "assuming", "imagine", "say"))
_TAGS: Final = _PAGE.words("tags")
_SHARED_PREPOSITIONS: Final = _PAGE.words("shared_prepositions")
AGREE: Final = {
    "am": "is", "are": "is", "were": "was", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't",
    "aren't": "isn't", "weren't": "wasn't", "ain't": "isn't", "gonna": "is going to", "wanna": "wants to",
    "gotta": "has to",
}  # fmt: skip
"""Verbs as they go with somebody who is called by name."""
_RESUMING: Final = frozenset(("he", "she", "they", "it"))
_PLAIN_VERBS: Final = frozenset(("works", "lives", "plays", "studies", "runs", "work", "left", "found", "felt"))
_LONGEST_PREFIX: Final = 8


class Clause(msgspec.Struct, frozen=True, gc=False):
    """Tokens `first` up to `last`; text starts at `body`, after `prefix` tokens shared with an earlier clause."""

    first: int
    last: int
    body: int
    asks: bool
    prefix: tuple[int, int] | None = None


def split_clauses(tokens: Tokens, first: int, last: int, *, question: bool) -> list[Clause]:
    """Clauses of the tokens from `first` up to `last`; `question` says the sentence ends as one."""
    lower, bits = tokens.lower, tokens.bits
    found: list[Clause] = []
    start = body = first
    asks = _asks(tokens, first, last, at_start=True)
    prefix: tuple[int, int] | None = None
    told = _is_predicate(tokens, first, first)  # whether the clause so far has a verb
    subordinate = bits[first] & SUBORD != 0 and _starts_clause(tokens, first + 1, last)
    opened_subordinate = subordinate
    at = first + 1
    while at < last:
        low = lower[at]
        bit = bits[at]
        if low in _BREAKS or bit & COORD:
            cut = _cut_at(tokens, (start, body, at, last), asks=asks, blocked=subordinate, told=told)
            if cut is not None:
                found.append(Clause(start, at, body, asks, prefix))
                start, (body, asks, prefix) = at, cut
                subordinate = opened_subordinate = False
                told = body < last and _is_predicate(tokens, body, body)
                at = max(body, at + 1)
                continue
            if low == ",":
                subordinate = opened_subordinate and subordinate and not _starts_clause(tokens, at + 1, last)
                opened_subordinate = opened_subordinate and subordinate
        elif asks and low in _FACTIVE:
            factive = _factive_body(tokens, at, last)
            if factive:
                found.append(Clause(start, at, body, asks, prefix))
                start, body, asks, prefix = at, factive, False, None
                told = _is_predicate(tokens, body, body)
                at = factive
                continue
        elif bit & (SUBORD | WH) and _starts_clause(tokens, at + 1, last):
            subordinate = True
        told = told or _is_predicate(tokens, at, body)
        at += 1
    if question and not asks and not found:
        asks = True
    found.append(Clause(start, last, body, asks or (question and _is_tag(tokens, body, last)), prefix))
    if question and len(found) > 1 and lower[first] in _SUPPOSING:
        found[0] = replace(found[0], asks=True)
    return found


def _cut_at(
    tokens: Tokens, span: tuple[int, int, int, int], *, asks: bool, blocked: bool, told: bool
) -> tuple[int, bool, tuple[int, int] | None] | None:
    """What a new clause at a break or coordinator would be: its body, whether it asks, its prefix; None for no cut."""
    start, body, at, last = span
    lower, bits = tokens.lower, tokens.bits
    mark = lower[at]
    if mark == "-" and not (0 < at < last - 1 and tokens.ends[at - 1] < tokens.starts[at] < tokens.starts[at + 1] - 1):
        return None
    right = at + 1
    joined = mark if mark in _COORDINATORS else ""
    while right < last and (bits[right] & COORD or lower[right] in (",", "then", "also")):
        joined = joined or (lower[right] if lower[right] in _COORDINATORS else "")
        right += 1
    if right >= last or (not joined and bits[at] & COORD):
        return None
    if _asks(tokens, right, last, at_start=False):
        return (right, True, None) if told or right - start > 2 else None
    strong = mark in (";", "—", "–", "--", "-") or joined in ("but", "so")
    if blocked and not strong:
        return None
    if joined == "so" and bits[at - 1] & AUX:
        return None
    if mark == "(" or (asks and joined == "so"):
        return None
    if _starts_clause(tokens, right, last):
        if mark == ":":
            return None
        if mark == "," and not joined and not (bits[right] & SUBJ and lower[right] not in ("that", "this", "these")):
            return None
        return (right, False, None) if told else None
    if asks or not told:
        return None
    if joined in ("and", "but", "so", "&"):
        shared = _shared_subject(tokens, body, at, right, last)
        if shared is not None:
            return right, False, shared
        gap = _gapped(tokens, body, at, right, last)
        if gap is not None:
            return right, False, gap
    return None


def _starts_clause(tokens: Tokens, at: int, last: int) -> bool:
    """Whether a subject and its finite verb begin at `at`."""
    bits, lower = tokens.bits, tokens.lower
    while at < last and bits[at] & ADV and not bits[at] & SUBJ:
        at += 1
    if at >= last:
        return False
    bit = bits[at]
    if bit & SUBJ:
        if bit & AUX:
            return True
        then = at + 1
        while then < last and bits[then] & (ADV | NEG) and not bits[then] & AUX:
            then += 1
        if then < last and bits[then] & (FINITE | BASE) and not (bit & DET and bits[then] & NOUNISH):
            return True
        if not bit & DET:
            return False
    elif bit & (PUNCT | PREP | COORD | SUBORD | AUX | PRON) and not bit & NAME:
        return False
    named = bit & (DET | POSS | NAME | NUM) != 0
    for here in range(at + 1, min(last, at + (8 if named else 4))):
        bit = bits[here]
        if named and _resumes(tokens, here, last):
            return True
        if bit & (PUNCT | SUBORD | WH | SUBJ) and lower[here] != "that":
            return False
        if bit & COORD and not bits[at] & NAME:
            return False
        if bit & AUX:
            return not bits[here - 1] & (PREP | DET)
        verb = bit & (THIRD | PAST) and (not bit & NOUNISH or (bits[here - 1] & NAME and lower[here] in _PLAIN_VERBS))
        if verb and not bits[here - 1] & (PREP | DET | POSS):
            if bits[at] & GERUND and not bit & THIRD:
                return False
            return not bit & PARTICIPLE or not _noun_follows(tokens, here, last)
        if not named and bit & PREP:
            return False
    return False


def _resumes(tokens: Tokens, at: int, last: int) -> bool:
    """Whether a pronoun takes up the subject right before it, as people speak: "my boss he wants"."""
    if tokens.lower[at].partition("'")[0] not in _RESUMING or at + 1 >= last:
        return False
    return tokens.bits[at] & AUX != 0 or tokens.bits[at + 1] & (AUX | THIRD | PAST | BASE | ADV | NEG) != 0


def _noun_follows(tokens: Tokens, at: int, last: int) -> bool:
    """Whether the word after a participle makes it read as an adjective ("hand painted bowls")."""
    then = at + 1
    if then >= last:
        return False
    return not tokens.bits[then] & (
        DET | POSS | PREP | PRON | NUM | ADV | NAME | PUNCT | SUBJ | SUBORD | COORD | GERUND
    )


def _is_predicate(tokens: Tokens, at: int, body: int) -> bool:
    """Whether the word at `at` can be the verb of the clause that begins at `body`."""
    bit = tokens.bits[at]
    if bit & AUX or (bit & (THIRD | PAST) and not bit & NOUNISH):
        return True
    return bit & BASE != 0 and (at == body or tokens.bits[at - 1] & (SUBJ | MODAL | ADV | NEG) != 0)


def _asks(tokens: Tokens, at: int, last: int, *, at_start: bool) -> bool:
    """Whether the words from `at` are in the order of a question."""
    lower, bits = tokens.lower, tokens.bits
    if at_start:
        while at < last - 1 and (bits[at] & ADV or lower[at] in (",", "and", "but", "so", "please")):
            at += 1
    if at + 1 >= last:
        return False
    word, following = lower[at], lower[at + 1]
    if word in _AUX_FIRST:
        if bits[at + 1] & SUBJ and not bits[at + 1] & AUX:
            return following not in ("that", "this") or at_start or word in ("is", "was", "does", "did", "would")
        silent = bits[at] & HAVE and not bits[at] & THIRD  # "Had my hair cut", said of oneself
        return at_start and not silent and bits[at + 1] & (POSS | DET | NAME) != 0
    if word in _WH_ASKING:
        if bits[at] & BE:
            return True
        if word in ("which", "who", "whose"):
            return at_start and following in _AUX_FIRST
        if following in _AUX_FIRST or bits[at + 1] & MODAL:
            return at_start or word != "when" or bits[min(at + 2, last - 1)] & SUBJ != 0
        return (
            word in ("what", "how")
            and at_start
            and following in ("about", "if", "kind", "many", "much", "else", "some")
        )
    return False


def _is_tag(tokens: Tokens, body: int, last: int) -> bool:
    words = [w for w in tokens.lower[body:last] if w[0].isalpha()]
    return len(words) <= 3 and all(w in _TAGS for w in words)


def _factive_body(tokens: Tokens, at: int, last: int) -> int:
    """First word of the clause told as a fact after a factive word at `at`; 0 when there is none."""
    lower = tokens.lower
    then = at + 1
    if then < last and lower[then] == "that":
        then += 1
    elif lower[at] in ("now", "fact", "given"):
        return 0
    if then < last and lower[then] == "the" and then + 2 < last and lower[then + 1] == "fact":
        then += 3
    return then if _starts_clause(tokens, then, last) else 0


def _main_verb(tokens: Tokens, body: int, last: int) -> int:
    """Index of the first finite verb of a clause, or -1."""
    bits = tokens.bits
    for at in range(body, last):
        bit = bits[at]
        if bit & AUX:
            return at
        if bit & (THIRD | PAST) and not (bit & NOUNISH and not bits[at - 1] & SUBJ) and at > body:
            return at
        if bit & BASE and at > body and bits[at - 1] & (SUBJ | ADV | NEG) and not bit & PREP:
            return at
    return -1


def _shared_subject(tokens: Tokens, body: int, at: int, right: int, last: int) -> tuple[int, int] | None:
    """Prefix of a verb phrase that shares the subject before it ("moved to Rome and works at a bank")."""
    bits, lower = tokens.bits, tokens.lower
    verb = right
    while verb < last and bits[verb] & ADV and not bits[verb] & AUX:
        verb += 1
    if verb >= last:
        return None
    main = _main_verb(tokens, body, at)
    if main < 0 or main - body > _LONGEST_PREFIX:
        return None
    form, first_form = bits[verb], bits[main]
    bare = form & BASE or lower[verb] in ("have", "do", "be")
    if bare and (first_form & BE or any(lower[k] == "to" and bits[k + 1] & (BASE | AUX) for k in range(main, at - 1))):
        return None
    following = bits[verb + 1] if verb + 1 < last else PUNCT
    plain_object = following & (DET | POSS | PREP | PRON | NUM | ADV | NAME | PUNCT | SUBORD | SUBJ) != 0
    subject_end = main + 1 if first_form & SUBJ else main
    if form & NAME:
        return None
    if form & (BE | HAVE | MODAL | DO) and not form & SUBJ:
        agrees = first_form & (AUX | THIRD | PAST | BASE) != 0 and lower[verb] not in ("be", "been", "being", "having")
        return (body, subject_end) if agrees and subject_end > body else None
    if (form & NOUNISH and lower[verb] not in _PLAIN_VERBS) or not plain_object:
        return None
    if form & PARTICIPLE and bits[at - 1] & (PARTICIPLE | ADJ) and not bits[at - 1] & NOUNISH:
        return None
    if form & PAST and first_form & PAST and not first_form & AUX:
        return (body, subject_end) if subject_end > body else None
    if form & (PARTICIPLE | PAST) and first_form & HAVE:
        return body, main + 1
    if form & THIRD and (first_form & (THIRD | HAVE) or first_form & BE):
        return (body, subject_end) if subject_end > body else None
    if form & BASE and not form & PREP and first_form & (BASE | PAST) and main > body and bits[main - 1] & SUBJ:
        return body, subject_end
    return None


def _gapped(tokens: Tokens, body: int, at: int, right: int, last: int) -> tuple[int, int] | None:
    """Prefix of an object that shares subject and verb ("Rust for the backend and React for the frontend")."""
    bits, lower = tokens.bits, tokens.lower
    main = _main_verb(tokens, body, at)
    if main < 0 or main - body > _LONGEST_PREFIX:
        return None
    if (
        bits[right] & THIRD & bits[main] and bits[right] & NOUNISH and bits[right + 1] & PREP
    ):  # "leaves at 6 and lands at"
        return (body, main) if bits[at - 1] & (NUM | NAME) and main > body else None
    verb_end = main + 1
    while verb_end < at and bits[verb_end] & (PARTICIPLE | GERUND | ADV) and not bits[verb_end] & DET:
        verb_end += 1
    for here in range(right + 1, min(right + 5, last - 1)):
        if bits[here] & (AUX | PUNCT | SUBJ | SUBORD) and not bits[here] & PREP:
            return None
        if bits[here] & PREP:
            word = lower[here]
            if word not in _SHARED_PREPOSITIONS or bits[right] & (SUBJ | PREP | GERUND | ADV):
                return None
            earlier = [k for k in range(verb_end + 1, at) if lower[k] == word]
            if not earlier or earlier[0] - verb_end > 5 or at - earlier[-1] > 6:
                return None
            return body, verb_end
    return None


def agreeing(tokens: Tokens, order: list[int], position: int, state: int) -> tuple[str | None, int]:
    """The verb after a replaced subject in the third person; state 1 looks for it, 2 looks for verbs joined to it."""
    at = order[position]
    low, bits = tokens.lower[at], tokens.bits[at]
    if state == 1:
        if low in AGREE:
            return AGREE[low], 0
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


def before_subject(tokens: Tokens, order: list[int], position: int) -> str | None:
    """The auxiliary of an inverted question made to agree with the subject that follows it ("do I", "are you")."""
    low = tokens.lower[order[position]]
    if tokens.lower[order[position + 1]] not in ("i", "you") or low not in ("am", "are", "do", "have", "were", "don't"):
        return None
    before = tokens.bits[order[position - 1]] if position else 0
    return None if before & SUBJ else AGREE[low]
