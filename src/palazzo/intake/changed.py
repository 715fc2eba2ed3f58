"""What the learned reader makes of a new statement and what is nearest to it: which older statements it takes back.

Owns which pairs are read, and how many in one call. Knows nothing of what follows from a disagreement (`weigh`).
Invariant: only a statement takes back a statement; what was given as a document, a note or a turn is never read as an
older side, and what goes beyond the budget of a call is left as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from palazzo.intake.known import Held, Known, cosines, held_from, matter_of
from palazzo.intake.values import Draft
from palazzo.text.change.beside import BOTH_HOLD, BOTH_SURELY_HOLD, says_alike
from palazzo.text.change.contradiction import SUPERSEDES, Contradiction, contradicts
from palazzo.text.change.implied import tells_end, tells_leaving
from palazzo.text.change.parts import listed, told_together, without_a_part
from palazzo.text.facts.slots.find import find_slots
from palazzo.text.reader import judgements
from palazzo.text.reader.encoder import Pair
from palazzo.text.statements.phrased import people_in
from palazzo.text.words.parsed import parsed

BOTH_REPLACED = 0.85
"""Odds that are asked to take back what a test of words takes for something that can hold as well."""
HEDGED = 0.2
"""Below `SUPERSEDES` the very same slot may still disagree, in hedged words: that is for a person to settle."""
SURELY_HOLDS, NO_RULE_ABOVE = 0.94, 0.9
"""Odds of holding beside each other that outweigh a certain rule, and up to which score of it: of 19 pairs for
development that a rule took back ten were harmless, and seven of these had them, of the others none. What names its
change ("went from 3 to 4") and another figure are none of them: the reader takes them for holding too easily."""
READER = "reader"
"""The ground of a disagreement that the learned reader found."""
PAIRS, WITHIN = 6, 0.4
"""Pairs the reader reads for one statement, and how much less near than the nearest a candidate may be to be read: of
226 changes for development 218 are then read, with four pairs within 0.3 it was 202."""
DOUBT = 0.49
"""What the odds of a change count for while it is in doubt: less than `SUPERSEDES`, and the more the likelier."""
EARLIER = 2
"""Pairs beyond these that are read of each: with what an older statement has replaced, or is in open conflict with."""
LINE_READ = 0.1
LINE, LINE_APART = (0.15, 0.5), (0.5, 0.75)
"""Odds of a whole line of statements of one matter that put its last one in doubt and that take it back, where a word
is shared with it and where nothing says that it is of the same matter, and from which odds of the last one on it is
read: of 86 changes without a shared word the last of these finds 40 of 100, the odds of one alone 30 at as many
mistakes beside lines of other matters."""
SIBLINGS = 4
SIBLING_MARKED, SIBLING_REPLACED = -3.1, -2.1
SIBLING_GUARDED = 1.0
"""Further statements that are looked at where one is taken back, and from which score on they are of the same matter:
of 1,136 harmless statements beside a change for development one in fifty had the last of these, of 106 that went two in
three; of the first, one in twenty and five in six."""
PAIRS_A_CALL = 32
READ_WHOLE = 240
"""Characters of a message that the reader reads as a whole."""
CUT_OUT = 0.94
"""Odds that are asked of a statement that was cut out of a longer message, or told by somebody with a name: the reader
learned from what people say in one or two sentences, and takes a step in a long talk too easily for a change. Of eleven
that it put in doubt by lower ones in 2,080 turns of talk, none had changed."""
OWN = 0.25
"""Odds that one of several statements must have by itself where the message as a whole changes an older one: of a dozen
messages for development the one that changes it had 0.3 or more, every other one less than 0.1."""
SAME_AT = 0.85
"""Odds from which on two statements say the same in other words: of 1,044 such pairs for development three in four had
them, of 3,500 that hold beside each other one in six hundred, of changes one in two hundred."""
BESIDE = 0.84
"""Odds of holding beside each other from which on what has all words of another tells of something else."""
PARTS = 6
"""Parts of a replaced statement that are read to see what of it stays."""
STAYS_BELOW, APART, APART_SURE, LIKELY = 0.9, 0.2, 1.0, 0.5
"""Below which odds of being replaced a part may stay, and by how much those of another part must be higher, in odds or,
where that one is likely to be replaced, in log-odds: of 250 parts that stay 86 in a hundred did then, 80 with odds
alone."""
NEAR = 0.2
"""Cosine below which two statements without a shared word have nothing in common that tells: of those that are read
beside a change, 19 of 20 are such, and of those that it takes back one in five."""
WORD_COUNTS = 0.15
KIND_COUNTS = 0.15
"""What a shared content word and a shared kind count beside the cosine when the nearest candidates are chosen."""
_TELLING_KINDS = frozenset(
    {"residence", "employment", "relationship", "preference", "identity", "instruction", "task", "procedure"}
)
"""Kinds so narrow that two of one kind are likely of one matter."""
_END = ".!?… "
"""What a statement ends with, and the same one inside a message need not."""
GO_ALONG = {"role": {"employer"}, "address": {"city"}, "manager": {"employer"}}
"""Attributes that end when another one changes."""
FEW = 8
"""Statements of a call that are all compared with what is nearest, whatever their words."""


Found = tuple[float, Contradiction, Held]
"""How far above what is asked the odds are, what that comes to, and of which memory."""


class Budget:
    """How many pairs the reader still reads in this call, what it said of those it read, and of each message in several
    statements what it changes.

    What is left over is read by the pass that follows.
    """

    def __init__(self, pairs: int, told: Iterable[Draft] = ()) -> None:
        self.pairs = pairs
        self.reads = pairs > 0  # of a batch nothing is
        self.exhausted = False
        self.matters: dict[int, tuple[float, frozenset[str]]] = {}
        """By the number of a message: how surely it changes something, and in which words that was said."""
        self.left: dict[int, list[Found]] = {}
        """What a statement of a message leaves to a later one, which says what holds instead."""
        self._told: dict[int, list[str]] = {}
        for draft in told:
            self._told.setdefault(draft.letter.number, []).append(draft.statement)
        self._known: dict[tuple[str, str], judgements.ChangeOdds] = {}

    def later(self, draft: Draft) -> list[str]:
        """The statements of a message that come after one of them."""
        told = self._told.get(draft.letter.number, [])
        return told[told.index(draft.statement) + 1 :] if draft.statement in told else []

    def read(self, pair: Pair) -> bool:
        """Whether the two were read together in this call."""
        return pair in self._known

    def odds(self, pairs: Sequence[tuple[str, str]]) -> list[judgements.ChangeOdds | None]:
        """What each newer statement does to the older one; None beyond the budget and without weights."""
        wanted = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        unread = wanted[: self.pairs]
        self.exhausted = self.exhausted or len(unread) < len(wanted)
        self.pairs -= len(unread)
        self._known |= zip(unread, judgements.change(unread) or (), strict=False)
        return [self._known.get(pair) for pair in pairs]


def changes_read(
    draft: Draft, candidates: Sequence[Held], known: Known, budget: Budget
) -> list[tuple[Contradiction, Held]]:
    """What the learned reader makes of the nearest candidates. Its score is that of a rule: `SUPERSEDES` is certain."""
    if not budget.reads:
        return []
    shared, whole = _matter(draft), _whole(draft)
    left = budget.left.pop(draft.letter.number, [])
    known_already = {held.memory_id for _, _, held in left}
    chosen = [
        one for one in _few_nearest(draft, [one for one in candidates if one.memory_id not in known_already], known)
        if (whole or one.shared) and not any(test(*pair_of(draft, one.held)) for test in BOTH_SURELY_HOLD)
    ]  # fmt: skip
    odds = budget.odds([pair_of(draft, one.held) for one in chosen])
    found: list[Found] = []
    for one, said_of_it in zip(chosen, odds, strict=True):
        if said_of_it is None:
            continue
        both_may_hold = of_another(draft, one.held)
        doubtful = one.far or both_may_hold
        score, (marked_at, replaced_at) = said_of_it.replaces, asked_of(draft, far=doubtful)
        if both_may_hold or says_alike(*pair_of(draft, one.held)):
            replaced_at = max(replaced_at, BOTH_REPLACED)
        line = _line(one.held, known) if LINE_READ <= score < replaced_at and whole else ()
        rest = [each.replaces for each in budget.odds([pair_of(draft, held) for held in line]) if each is not None]
        both = _between(score, rest) if rest else 0.0
        of_it = not doubtful and any(shared & matter_of(held.statement) for held in (one.held, *line))
        line_marked, line_replaced = LINE if of_it else LINE_APART
        above = max(_logit(score) - _logit(marked_at), _logit(both) - _logit(line_marked))
        if score >= replaced_at or both >= line_replaced:
            found.append((above, Contradiction(max(score, both, SUPERSEDES), READER), one.held))
        elif score >= marked_at or both >= line_marked:
            found.append((above, Contradiction(round(DOUBT * max(score, both), 3), READER), one.held))
    found = [*left, *(_of_its_matter(draft, found, budget) if whole else found)]
    found.sort(key=lambda each: (each[1].score < SUPERSEDES, -each[0]))
    found = [
        one for one in found
        if (one[2] is found[0][2] or (whole and akin(one[2], found[0][2]))) and _by_itself(draft, one[2], budget)
    ]  # fmt: skip
    return [] if whole and _left_to_a_later(draft, found, budget) else [(clash, held) for _, clash, held in found]


def _of_its_matter(draft: Draft, found: list[Found], budget: Budget) -> list[Found]:
    """What a statement of a message may change: each is read as the whole message, so what a former one changes more
    surely is what the message is about, and of the rest only what shares a word with that or with the statement."""
    surely, words = budget.matters.get(draft.letter.number, (-math.inf, frozenset[str]()))
    of_it = words | matter_of(draft.statement)
    kept = [one for one in found if one[0] > surely or not of_it.isdisjoint(matter_of(one[2].statement))]
    if kept:
        likeliest = max(kept, key=lambda one: one[0])
        budget.matters[draft.letter.number] = max(surely, likeliest[0]), words | matter_of(likeliest[2].statement)
    return kept


def _left_to_a_later(draft: Draft, found: list[Found], budget: Budget) -> bool:
    """Whether a later statement of the message says what holds instead, where this one gives the reason: "the bus was
    cut, I drive now". Then it is left to that one."""
    later = budget.later(draft) if found else []
    odds = budget.odds([(found[0][2].statement, one) for one in (draft.statement, *later)]) if later else [None]
    replaced = [_logit(one.replaces) for one in odds if one is not None]
    if len(replaced) <= len(later) or not later or max(replaced) - replaced[0] < APART_SURE:
        return False
    budget.left[draft.letter.number] = found
    return True


def surely_holds(draft: Draft, held: Held, clash: Contradiction) -> bool:
    """Whether the reader is so sure that a memory holds beside a draft that what a rule says does not count."""
    if clash.score >= NO_RULE_ABOVE or clash.reason == "quantity":
        return False
    [odds] = Budget(1).odds([pair_of(draft, held)])  # of what a rule takes back, a call of many statements reads it too
    return odds is not None and odds.holds >= SURELY_HOLDS


def _by_itself(draft: Draft, held: Held, budget: Budget) -> bool:
    """Whether one of several statements of a message changes an older one, and not another one of them."""
    if not _whole(draft) or draft.text.rstrip(_END) == draft.letter.text.rstrip(_END):
        return True
    (own,) = budget.odds([(held.statement, draft.statement)])
    return own is None or own.replaces >= OWN


def read_beside(
    draft: Draft, candidates: Sequence[Held], known: Known, budget: Budget
) -> list[tuple[judgements.ChangeOdds, Held]]:
    """What a draft does to each of the nearest candidates; without those nobody read."""
    near = [one.held for one in _few_nearest(draft, candidates, known)] if budget.reads else []
    odds = budget.odds([pair_of(draft, held) for held in near])
    return [(one, held) for held, one in zip(near, odds, strict=True) if one is not None]


def _few_nearest(draft: Draft, candidates: Sequence[Held], known: Known) -> list[_Near]:
    """The candidates that are near enough to be read beside a draft."""
    near = _nearest(draft, candidates, known)[:PAIRS]
    return [one for one in near if one.closeness(draft.kind) >= near[0].closeness(draft.kind) - WITHIN]


def repeats(draft: Draft, held: Held) -> bool:
    """Whether a draft has a known statement in it word for word."""
    return held.text.rstrip(_END) in _as_said(draft)


def _nearest(draft: Draft, candidates: Sequence[Held], known: Known) -> list[_Near]:
    """The statements among the candidates, nearest first, without those that the draft itself repeats."""
    stated = [held for held in candidates if not held.given and not repeats(draft, held)]
    shared = _matter(draft)
    near = [
        _Near(held, cosine or 0.0, len(shared & matter_of(held.statement)))
        for held, cosine in zip(stated, cosines(known, draft, stated, of_matter=True), strict=True)
    ]
    near.sort(key=lambda one: one.closeness(draft.kind), reverse=True)
    return near


def of_one_matter(
    draft: Draft, candidates: Sequence[Held], gone: Sequence[Held], known: Known, budget: Budget
) -> tuple[tuple[Held, ...], tuple[Held, ...]]:
    """What still stands beside a statement that is taken back and is of its matter: an earlier update of it, or what
    it should have taken back itself; then what may be. The odds that one of the two replaces the other say so,
    whichever was said first, and those that the draft replaces it."""
    if not gone or gone[0].key is None or not budget.pairs or not _whole(draft):
        return (), ()
    out, first = {held.memory_id for held in gone}, gone[0]
    near = _nearest(draft, [held for held in candidates if held.memory_id not in out], known)
    near = [
        one for one in near
        if one.held.key is not None and one.held.scope == known.scope and not _of_one_person(one.held, first)
    ][:SIBLINGS]  # fmt: skip
    near = [one for one in near if not one.far or akin(one.held, first)]
    beside = [one.held for one in near]
    ordered = [sorted((first, held), key=lambda one: (known.stated_us(one), one.key or 0)) for held in beside]
    told = [_said_of(*two) for two in ordered]
    against = [
        SIBLING_GUARDED * (of_another(draft, one.held) or any(test(*pair) for test in BOTH_HOLD))
        for one, pair in zip(near, told, strict=True)
    ]
    read = budget.odds([*told, *(pair_of(draft, held) for held in beside)])
    scores = [
        _logit(between.replaces) + _logit(own.replaces) / 2 - less if between is not None and own is not None
        else -math.inf
        for less, between, own in zip(against, read[: len(beside)], read[len(beside) :], strict=True)
    ]  # fmt: skip
    return (
        tuple(held for held, score in zip(beside, scores, strict=True) if score >= SIBLING_REPLACED),
        tuple(held for held, score in zip(beside, scores, strict=True) if SIBLING_MARKED <= score < SIBLING_REPLACED),
    )


def _line(held: Held, known: Known) -> tuple[Held, ...]:
    """What else was said of the matter of a memory: what it is in open conflict with, and what it has replaced."""
    if held.key is None:
        return ()
    replaced = (held_from(before) for _, before in known.reading.memories.earlier([held.key]))
    return (*disputed_with(held, known), *replaced)[:EARLIER]


def disputed_with(held: Held, known: Known) -> tuple[Held, ...]:
    """The memories that one is in open conflict with."""
    edges = known.reading.edges.of(held.memory_id) if held.key is not None else ()
    ends = {end.memory_id for edge in edges if edge.kind == "contradicts" for end in (edge.source, edge.target)}
    found = (known.held(end) for end in ends - {held.memory_id})
    return tuple(other for other in found if other is not None)[:EARLIER]


def with_disputed(gone: Sequence[Held], known: Known) -> tuple[Held, ...]:
    """What is taken back, and after it what that is in open conflict with: of the two only one can hold, and what takes
    one of them back says what holds instead."""
    others = (
        other for held in gone for other in disputed_with(held, known)
        if other.scope == known.scope and not _of_one_person(held, other)
    )  # fmt: skip
    return tuple({held.memory_id: held for held in (*gone, *others)}.values())


def _between(of: float, rest: Sequence[float]) -> float:
    """The odds between those of a memory and those of the rest of its line, by their logarithms."""
    return 1 / (1 + math.exp(-(_logit(of) + sum(map(_logit, rest)) / len(rest)) / 2))


def _logit(odds: float) -> float:
    kept = min(max(odds, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def akin(held: Held, other: Held) -> bool:
    """Whether two memories share a content word: a statement changes one matter, told of once or more."""
    return not matter_of(held.statement).isdisjoint(matter_of(other.statement)) and not _of_one_person(held, other)


def _of_one_person(held: Held, other: Held) -> bool:
    """Whether all that two memories share is somebody's name: they are of two matters."""
    shared = matter_of(held.statement) & matter_of(other.statement)
    return bool(shared) and shared <= people_in(held.statement) | people_in(other.statement)


class _Near(NamedTuple):
    """A candidate, how near it is in meaning, and how many content words it shares."""

    held: Held
    cosine: float
    shared: int

    @property
    def far(self) -> bool:
        return not self.shared and self.cosine < NEAR

    def closeness(self, kind: str) -> float:
        alike = KIND_COUNTS if self.held.kind == kind and kind in _TELLING_KINDS else 0.0
        return self.cosine + alike + WORD_COUNTS * self.shared


def asked_of(draft: Draft, *, far: bool = False) -> tuple[float, float]:
    """The odds from which on a draft puts an older statement in doubt, and from which on it takes it back."""
    marked_at, replaced_at = (
        max(judgements.figure(f"{which}{name}", 1.0) for which in (("", "far_") if far else ("",)))
        for name in ("marked_at", "replaced_at")
    )
    if _whole(draft):
        return marked_at, replaced_at
    return max(marked_at, CUT_OUT), max(replaced_at, CUT_OUT)


def _matter(draft: Draft) -> frozenset[str]:
    """The content words that tell what a draft is about: of talk, all but the names of those who talk."""
    message = draft.letter.message
    return matter_of(_as_said(draft)) - matter_of(f"{message.speaker} {message.addressee}")


def _whole(draft: Draft) -> bool:
    """Whether the reader reads a message as it was said, by nobody with a name, and not a statement cut out of it."""
    return not draft.letter.message.speaker and _as_said(draft) == draft.letter.text


def what_stays(draft: Draft, held: Held, least: float = 0.0) -> str:
    """What of a statement still holds beside the newer one that replaced the rest of it; empty where nothing does.

    Another part of it must be what is replaced, by a certain rule or by the reader. Without the reader nothing stays.
    Of a list stays what is not said to be gone. `least` are odds that the part which is replaced must have.
    """
    whole, said = pair_of(draft, held)
    return _stays(draft, (whole, said), without_a_part(whole)[:PARTS], least)


def holds_in_part(draft: Draft, held: Held) -> bool:
    """Whether something of a replaced statement still holds that cannot be said without what was replaced."""
    whole, said = pair_of(draft, held)
    named = [not matter_of(one).isdisjoint(matter_of(said)) for one in listed(whole)]
    if any(named) and not all(named):
        return True  # "two cars, a Fiat and a Skoda": one of them is sold
    if "employer" in _attributes(draft.statement) or tells_end(said.lower()):  # the post goes with it, or all of it
        return False
    if all(term[0].isdigit() for term in matter_of(whole) - matter_of(said)):
        return False
    return bool(_stays(draft, (whole, said), told_together(whole)[:PARTS], 0.0))


def _stays(draft: Draft, pair: Pair, texts: Sequence[str], least: float) -> str:
    whole, said = pair
    named = matter_of(said) if tells_leaving(said.lower()) else frozenset()
    left = [text for text in texts if named and (gone := matter_of(whole) - matter_of(text)) and gone <= named]
    if len(left) == 1:
        return left[0]
    odds = Budget(PARTS).odds([(text, said) for text in texts])  # a call of many statements reads these as well
    if None in odds:
        return ""
    ruled = [contradicts(text, said) is not None for text in texts]  # what a rule says of every part it says of none
    replaced = [
        1.0 if by_rule and not all(ruled) else one.replaces
        for by_rule, one in zip(ruled, odds, strict=True)
        if one is not None
    ]
    lowest, text = min(zip(replaced, texts, strict=True), default=(1.0, ""))
    highest = max(replaced, default=0.0)
    surely = highest >= LIKELY and _logit(highest) - _logit(lowest) >= APART_SURE
    apart = highest - lowest >= APART or surely
    stays = lowest < STAYS_BELOW and apart and highest >= least
    other = _told_apart(whole, texts, said) if not stays and highest >= LIKELY else None
    if other is not None and replaced[other] < BOTH_REPLACED:
        stays, text = highest >= least, texts[other]
    return text if stays and not _goes_along(_attributes(text), _attributes(draft.statement)) else ""


def _told_apart(whole: str, texts: Sequence[str], said: str) -> int | None:
    """The one part that has no word of the newer statement, where what is cut for it has one: "written in Go" beside
    "hosted on Fly" for "we host it on Hetzner now"."""
    own, parts = matter_of(said), [matter_of(text) for text in texts]
    shared = frozenset.intersection(*parts) if parts else frozenset()
    fit = [at for at, part in enumerate(parts) if (matter_of(whole) - part) & own and not (part - shared) & own]
    return fit[0] if len(fit) == 1 and shared else None


def says_more(held: Held, draft: Draft) -> bool:
    """Whether a memory gives another attribute as well: a name and a city, where the newer statement gives a city."""
    told, tells = _attributes(held.statement), _attributes(draft.statement)
    return bool(told & tells) and bool(told - tells) and not _goes_along(told - tells, tells)


def _attributes(statement: str) -> set[str]:
    return {slot.predicate for slot in find_slots(parsed(statement).gloss) if slot.functional}


def _goes_along(attributes: set[str], changed: set[str]) -> bool:
    """Whether all of these end with what is said to be another one now: who works elsewhere has another post."""
    return bool(attributes) and all(not changed.isdisjoint(GO_ALONG.get(one, ())) for one in attributes)


def of_another(draft: Draft, held: Held) -> bool:
    """Whether the two give the same attribute of different people, different ones of the same, or figures of different
    cases: then both hold."""
    pairs = dict.fromkeys(((held.statement, draft.statement), pair_of(draft, held)))
    if any(test(*pair) for test in BOTH_HOLD for pair in pairs):
        return True
    said = {slot.predicate: slot.subject for slot in find_slots(draft.statement) if slot.functional}
    known = [slot for slot in find_slots(held.statement) if slot.functional] if said else []
    both = [slot for slot in known if slot.predicate in said]
    if known and not both:  # where somebody lives and whom they work for; not what is used or measured of something
        attributes = {slot.predicate for slot in known} | set(said)
        return {slot.subject for slot in known} == set(said.values()) and not any(" " in one for one in attributes)
    return bool(both) and all(said[slot.predicate] != slot.subject for slot in both)


def pair_of(draft: Draft, held: Held) -> Pair:
    """What the reader reads of a memory and of a draft: the words of both as they were said.

    Where one of them was said by a named speaker, whose "I" is somebody else, the statements of both.
    """
    said = _as_said(draft)
    return (held.text, said) if _own(held) and said == draft.letter.text else (held.statement, draft.statement)


def _said_of(older: Held, newer: Held) -> Pair:
    """What the reader reads of two memories."""
    return (older.text, newer.text) if _own(older) and _own(newer) else (older.statement, newer.statement)


def _own(held: Held) -> bool:
    """Whether a memory was said by nobody with a name, so that "I" in it is the user."""
    noted = held.statement.lower()
    return held.statement.rstrip(".") == held.text.rstrip(".") or "the user" in noted or "the assistant" in noted


def _as_said(draft: Draft) -> str:
    """What the reader reads of a draft: a short message whole, as it was said; else the statement by itself.

    Of two people, each says "I" of themselves: then the statement, as of the other side.
    """
    text = draft.letter.text
    return text if len(text) <= READ_WHOLE and not draft.letter.message.speaker else draft.statement
