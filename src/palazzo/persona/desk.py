"""The items of work while turns are read: which a sentence means, and what it does to them.

Owns how an item is recognised again (shared words, what was talked about last) and whose word counts: the learned
reader of plans says what a sentence does to an item, the rules of words where it is not sure or its weights are not
there. Knows nothing of pages and keeps nothing. Invariants: what may be over is never left plainly open; only a person
takes up again what was given up.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from palazzo.persona.ends import ENDS, OVER, PLAINLY, RULE, ended, opens, plainly_ends, ruled_by
from palazzo.persona.work import REMARKS, Decision, ItemState, SaidTurn, Steps, WorkItem, is_over
from palazzo.text.meaning.plans import (
    PlanSign,
    acknowledges,
    figures,
    is_answered,
    is_light,
    matter_pairs,
    matter_terms,
    matters_in,
    plan_sign,
    planned_parts,
    said_sentences,
    shared_matter,
    supposes,
    wants_answer,
)
from palazzo.text.reader import plans as reader
from palazzo.text.words.language import reading_language
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

Pairs = frozenset[tuple[str, str]]
Odds = dict[reader.PlanMove, float]
LIGHT: Final = 0.4
"""What a verb of work counts: "the docs are written" speaks of "write the docs" by its noun."""
NEAR: Final = 0.9
"""Of several alike, those this near to the best are meant together: one plan that two people told."""
NAMED: Final = 0.95
"""How alike a sentence is to an item that alone has two words beside each other which it has, too."""
SAME: Final = 0.6
"""Share of the rarer words of two sentences that must be in both: they speak of the same work."""
TOLD_AGAIN: Final = 0.8
"""Share of all words from which on a plan is one that is known, told again: two that differ in a number are two."""
AGAIN: Final = 0.5
"""The same where the reader takes it up, too."""
POINTS_BACK: Final = 6
"""How many items back "that one" may point."""
SURE: Final = 0.6
"""Odds from which on the learned reader's word moves an item."""
SURER: Final = 0.8
"""The same where only one weak word is shared, where a sentence names nothing, and where an assistant gives up."""
SUREST: Final = 0.9
"""The same where a sentence names nothing and no rule reads it."""
OPENS: Final = 0.65
"""Odds from which on a sentence that no rule reads is a plan."""
PERHAPS_WORK: Final = 0.2
"""The same where what was said later ends it."""
HEARD: Final = 200
"""Sentences of the user that are kept until then."""
HARDLY: Final = 0.015
"""Odds below which one that a rule reads as a plan is none."""
DOUBTFUL: Final = 0.5
"""Odds that an item is over, done or given up, from which on it is not offered as open."""
HINTED: Final = 0.25
"""The same where the sentence plainly ends something."""
MOST_MEANT: Final = 3
"""Items that one sentence is read beside, those with most words in common."""
WEAKLY: Final = 0.3
"""Share of an item's words below which a sentence hardly names it."""
NOTHING: Final = SUREST / (SUREST + RULE * (1 - SUREST))
"""Odds that a sentence does nothing to an item, against the word of a rule, from which on it does nothing."""
RULED: Final[dict[str, reader.PlanMove]] = {
    "open": "open", "resumed": "open", "done": "done", "cancelled": "cancelled", "rejected": "cancelled",
}  # fmt: skip
STANDS: Final[tuple[reader.PlanMove, ...]] = ("open", "postponed", "handed")
"""What tells of a plan that was over that it is not, whichever of these it is."""
LASTS: Final = 2
"""Turns for which what was talked about last is meant by who names nothing."""
LEAST_SAID: Final = 3
"""Content words of a sentence that may end work which it does not name."""
OUTER: Final = 2
"""Sentences at the beginning of an assistant's turn, and as many at its end, that may."""
SHORT: Final = 6
"""Content words of a sentence that may be about what was said before it."""


class _Said(NamedTuple):
    """A sentence as it is judged: with those beside it in its turn, and what a rule says of it."""

    sentence: str
    before: str
    after: str
    sign: PlanSign | None
    turn: SaidTurn
    outer: bool = True
    """Whether it stands where ends are told: in a long answer those are its first sentences and its last ones."""

    @property
    def sort(self) -> str:
        """What the rule says; empty where none does."""
        return self.sign.sort if self.sign is not None else ""


class PlanDesk:
    """The items while turns are read."""

    def __init__(self) -> None:
        self.items: list[WorkItem] = []
        self.decisions: list[Decision] = []
        self.rejected: list[Decision] = []
        self.loose: list[str] = []  # what plainly ended something, and nothing of it says which work, the newest first
        self._loose = False  # whether the sentence that is read plainly ends something, and none that is known
        self._often: Counter[str] = Counter()
        self._heard: deque[WorkItem] = deque(maxlen=HEARD)  # what may be work, and its end may tell that it was
        self._mentioned: dict[tuple[str, str], tuple[str, SaidTurn]] = {}  # the same by its name, for rules
        self._steps = Steps()
        self._turn = 0
        self._asked = False  # whether the user asked for an answer last
        self._named = False  # whether the sentence that is read names an item that is known
        self._talked = (-1, 0)  # the item that was talked about last, and in which turn

    def read(self, turn: SaidTurn, *, learned: bool = True) -> tuple[str, ...]:
        """Reads a turn; the sentences that say nothing of work come back."""
        self._turn += 1
        known = len(self.items)
        left: list[str] = []
        before = ""
        sentences = tuple(part for told in said_sentences(turn.text) for part in planned_parts(told, turn.role))
        for at, sentence in enumerate(sentences):
            if acknowledges(sentence):
                left.append(sentence)
                continue
            sign = plan_sign(sentence, turn.role)
            after = sentences[at + 1] if at + 1 < len(sentences) else ""
            before_it = self._written()
            self._named = self._loose = False
            closely = learned and not supposes(sentence) and reading_language(sentence) == "en"
            outer = turn.role == "user" or at < OUTER or at >= len(sentences) - OUTER
            judged = closely and self._judged(_Said(sentence, before, after, sign, turn, outer))
            hinted = closely and sign is not None and sign.sort == "open" and sign.hinted
            if hinted and opens(sentence, unread=1.0) < HARDLY:
                sign = None  # "both pilots took leave on Friday"
            if sign is not None and (not judged or sign.sort in ("decided", "rejected", "replaced")):
                items = [*self.items]
                self.hear(sign, turn)
                if closely and sign.sort == "replaced" and items == self.items:
                    self._opened(_Said(sentence, before, after, sign, turn))  # nothing is replaced: it is a plan itself
            if before_it == (now := self._written()) and (sign is None or sign.sort == "done"):
                left.append(sentence)
                self._spoken(sentence, turn)
                if closely and turn.role == "user" and len(words := matter_terms(sentence)) > 1:
                    told = WorkItem(text=sentence, state="open", by="user", at_us=turn.at_us, terms=words)
                    self._heard.append(told)
                if self._loose:
                    self.loose = [sentence, *(one for one in self.loose if one != sentence)]
            if now[0] > before_it[0]:
                self._talked = len(self.items) - 1, self._turn
            before = sentence
        self._asked = turn.role == "user" and bool(sentences) and wants_answer(sentences[-1])
        self._steps.heard(self.items, known, turn.role)
        return tuple(left)

    def _written(self) -> tuple[int, int, int, tuple[str, ...]]:
        """What is on the desk, to see whether a sentence changed it."""
        return len(self.items), len(self.decisions), len(self.rejected), tuple(item.moved_by for item in self.items)

    def _judged(self, said: _Said) -> bool:
        """What the learned reader says of a sentence; whether that settles it."""
        meant = self._candidates(said.sentence)
        self._named = bool(meant)
        nearest = meant[0][0] if meant else 0.0
        if not meant and self._turn - self._talked[1] <= LASTS and len(parsed(said.sentence).content_terms) <= SHORT:
            meant = [(1.0, self._talked[0])] if 0 <= self._talked[0] < len(self.items) else []
        told = self._odds(said, meant)
        if told is None:
            return False
        talked = self._talked[0] if self._turn - self._talked[1] <= LASTS else -1
        if self._named:
            self._talked = meant[0][1], self._turn
        found: list[tuple[float, int, reader.PlanMove]] = []
        doubtful: list[tuple[int, reader.PlanMove]] = []
        contrary = False
        for (share, at), row in zip(meant, told, strict=True):
            move = max(row, key=row.__getitem__)
            if move == "open" and self.items[at].state == move:
                continue
            plain = self._named and share >= WEAKLY and (move != "cancelled" or said.turn.role == "user")
            taken_up = move == "open" and RULED.get(said.sort) != "open"
            sure = SURE if plain and not taken_up else SURER if self._named or said.sign is not None else SUREST
            again = move in STANDS and self.items[at].state != "open"
            if move != "none" and (sum(map(row.__getitem__, STANDS)) if again else row[move]) >= sure:
                found.append((share, at, move))
            elif self._named and self._doubtful(row["done"] + row["cancelled"], said):
                doubtful.append((at, "done" if row["done"] > row["cancelled"] else "cancelled"))
                contrary = contrary or move not in ("none", RULED.get(said.sort))
        best = max((share for share, *_ in found), default=0.0)
        moved = [self._take(at, move, said) for share, at, move in found if share >= best * NEAR]
        if any(moved):
            return True
        if not found and doubtful and (said.sort not in ("done", "cancelled") or contrary):
            self._doubt(*doubtful[0], said.sentence, said.turn)
            return True
        if self._named and self._told_again(said, meant, told, talked):
            return True
        if (
            not found
            and meant
            and not self._named
            and said.turn.role != "user"
            and talked >= 0
            and is_over(self.items[talked])
        ):
            return True  # an assistant says once more what has just ended
        if not found and said.sort != "decided" and (self._was_work(said) or self._ended_otherwise(said)):
            return True
        if self._named and said.sort == "done" and all(row["none"] >= NOTHING for row in told):
            return True  # "the shed was built by my grandfather" ends no plan for the shed
        return said.sort != "replaced" and not found and nearest < WEAKLY and self._opened(said)

    def _doubtful(self, over: float, said: _Said) -> bool:
        """Whether what a sentence names may be over: of one that plainly ends something less is asked."""
        if said.sort == "open":
            return over >= SURE
        return over >= DOUBTFUL or (over >= HINTED and plainly_ends(said.sentence))

    def _was_work(self, said: _Said) -> bool:
        """Whether a sentence ends what was told before and not surely a plan: then it was one."""
        words = matter_terms(said.sentence)
        found = [one for one in self._heard if not self._named and shared_matter(words, one.terms)]
        for one in sorted(found, key=lambda one: -len(words & one.terms))[:1]:
            for row in reader.moves([(one.text, said.sentence)]) or ():
                move = max(row, key=row.__getitem__)
                over = move == "done" or (move in ENDS and said.turn.role == "user")
                if over and row[move] >= SUREST and opens(one.text) >= PERHAPS_WORK:
                    self._heard.remove(one)
                    self.items.append(replace(one, pairs=matter_pairs(one.text)))
                    self._often.update(one.terms)
                    return self._take(len(self.items) - 1, move, said)
        return False

    def _ended_otherwise(self, said: _Said) -> bool:
        """Whether a sentence ends a plan that it has no word of: every one that stands is weighed."""
        if not said.outer or len(parsed(said.sentence).content_terms) < LEAST_SAID:
            return False
        if said.sort in ("open", "resumed") and opens(said.sentence) >= DOUBTFUL:
            return False
        standing = [at for at, item in enumerate(self.items) if item.state in ("open", "unsure") and not item.listed]
        told = (said.sentence, f"{said.before} {said.sentence}") if said.before else (said.sentence,)
        least = PLAINLY if said.sort in ("open", "resumed") else OVER
        answers = self._asked and said.turn.role != "user"
        weighed = ended([self.items[at].text for at in standing], told, least, answers=answers)
        for one in weighed:
            if one.sure and (said.turn.role == "user" or one.move == "done"):
                return self._take(standing[one.at], one.move, said)
            if one.move in ("done", "cancelled"):
                self._doubt(standing[one.at], one.move, said.sentence, said.turn)
        self._loose = bool(standing) and not weighed and said.turn.role == "user" and plainly_ends(said.sentence)
        return bool(weighed) and said.sort not in ("open", "resumed")

    def _odds(self, said: _Said, meant: Sequence[tuple[float, int]]) -> list[Odds] | None:
        """What a sentence does to each of these, with what a rule says of it; where in doubt with the one behind it."""
        told = reader.moves([(self.items[at].text, said.sentence) for _, at in meant])
        if told is None:
            return None
        unsaid = self._named and not any(1 - row["none"] >= SURE for row in told)
        if unsaid and said.after and not supposes(said.after):  # what follows may say what becomes of it
            closer = reader.moves([(self.items[at].text, f"{said.sentence} {said.after}") for _, at in meant]) or told
            told = [min(one, other, key=lambda row: row["none"]) for one, other in zip(told, closer, strict=True)]
        ruled = RULED.get(said.sort)
        if ruled is None:
            return told
        return [
            row
            if ruled == self.items[at].state or {ruled, self.items[at].state} == {"done", "cancelled"}
            else ruled_by(row, ruled)
            for (_, at), row in zip(meant, told, strict=True)
        ]

    def _told_again(self, said: _Said, meant: Sequence[tuple[float, int]], told: Sequence[Odds], talked: int) -> bool:
        """Whether what is to be done is known: said in other words, or said back by an assistant a moment ago."""
        back = said.turn.role != "user"
        return said.sort in ("", "open") and any(
            self.items[at].state == "open"
            and ((back and at == talked and share >= WEAKLY) or (share >= AGAIN and row["open"] >= DOUBTFUL))
            for (share, at), row in zip(meant, told, strict=True)
        )

    def _opened(self, said: _Said) -> bool:
        """Adds a plan that no rule reads, or that one takes for the end or the choice of something nobody spoke of."""
        least = SUREST if said.sort == "decided" or (said.sort and self._named) else OPENS
        alone = said.sort == "cancelled" and said.sign is not None and said.sign.alone
        if alone or said.sort in ("open", "resumed", "rejected") or said.turn.role != "user":
            return False
        if len(parsed(said.sentence).content_terms) < 2 or is_answered(said.sentence):
            return False
        if opens(said.sentence) < least:
            return False
        self._open(PlanSign("open", said.sentence, said.sentence), said.turn)
        return True

    def _candidates(self, sentence: str) -> list[tuple[float, int]]:
        """The items a sentence may mean, with the share of their words that it has, most alike first."""
        said, pairs = matter_terms(sentence), matter_pairs(sentence)
        numbered = figures(said)
        found: list[tuple[float, float, int]] = []
        for at, item in enumerate(self.items):
            shared = shared_matter(said, item.terms)
            if not shared or (numbered and (other := figures(item.terms)) and numbered.isdisjoint(other)):
                continue  # the third buoy is not the fourth
            share = self._weight(shared) / max(1e-9, min(self._weight(said), self._weight(item.terms)))
            found.append((self._weight(shared) + (1.0 if pairs & item.pairs else 0.0), share, at))
        found.sort(key=lambda one: (-one[0], self.items[one[2]].by != "user", -one[2]))
        best = found[0][0] if found else 0.0
        return [(share, at) for weight, share, at in found[:MOST_MEANT] if weight >= best / 2]

    def _take(self, at: int, move: reader.PlanMove, said: _Said) -> bool:
        """Moves an item as the learned reader says; whether it stands elsewhere now."""
        item = self.items[at]
        if item.listed and said.turn.role != "user":
            return True
        moved = replace(item, moved_by=said.sentence, moved_us=said.turn.at_us, reason="", remark="", spoken="")
        if move in ("done", "cancelled"):
            taken_back = move == "cancelled" and item.state == "done" and said.turn.role == "user" and self._named
            if item.state not in ("open", "unsure") and not taken_back:
                return item.state == move
            moved = replace(moved, state=move)
        elif move in ("postponed", "handed"):
            if item.state != "open" and said.turn.role != "user":
                return False
            moved = replace(moved, state="open", remark=REMARKS[move])
        elif item.state == "open" or said.turn.role != "user":
            return False
        elif item.moved_us == said.turn.at_us and said.sign is None:
            return True  # what a turn gives up it does not take up again a sentence later
        else:
            moved = replace(moved, state="open")
        self.items[at] = moved
        return True

    def _doubt(self, at: int, move: reader.PlanMove, sentence: str, turn: SaidTurn) -> None:
        """An item that may be over is shown as that, with the words that say so."""
        item = self.items[at]
        if item.state == "open" and (turn.role == "user" or (move == "done" and not item.listed)):
            told = {"moved_by": sentence, "moved_us": turn.at_us}
            self.items[at] = replace(item, state="unsure", remark=REMARKS[move], **told)

    def _spoken(self, sentence: str, turn: SaidTurn) -> None:
        """Keeps beside an item that stands what was said of it later: whoever goes on with it may read more in that."""
        at = self._talked[0]
        if self._named and self.items[at].state == "open" and self.items[at].at_us < turn.at_us:
            self.items[at] = replace(self.items[at], spoken=sentence)

    def mention(self, sentence: str, turn: SaidTurn) -> None:
        """Remembers a sentence that says nothing of work as far as it can be read."""
        for pair in matter_pairs(sentence):
            self._mentioned.setdefault(pair, (sentence, turn))

    def hear(self, sign: PlanSign, turn: SaidTurn) -> None:
        """Moves the items that a sentence speaks of, or adds the one it tells."""
        if sign.sort == "decided":
            self.decisions.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))
            if sign.otherwise is not None:
                self.hear(sign.otherwise, turn)
        elif sign.otherwise is not None:
            state: ItemState = "done" if sign.sort == "done" else "cancelled"
            if not self._move(sign, turn, state, ("open", "unsure"), alone=False):
                self.hear(sign.otherwise, turn)
        elif sign.sort == "open":
            self._open(sign, turn)
        elif sign.sort == "done" or sign.sort == "cancelled":
            self._move(sign, turn, sign.sort, ("open", "unsure"))
        elif sign.sort == "resumed":
            self._move(sign, turn, "open", ("cancelled", "done", "unsure"))
        elif sign.sort == "replaced":
            self._replace(sign, turn)
        else:
            self._move(sign, turn, "cancelled", ("open", "unsure"), alone=False)
            self.rejected.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))

    def _open(self, sign: PlanSign, turn: SaidTurn) -> None:
        said = matter_terms(sign.matter)
        if not said:
            return
        for at, item in reversed([*enumerate(self.items)]):
            if figures(said) != figures(item.terms):
                continue
            shared = len(said & item.terms)
            whole = shared / max(len(said), len(item.terms))
            if item.state == "open" and whole >= TOLD_AGAIN:
                return
            again = max(whole, shared / len(item.terms) if len(item.terms) > 1 else 0.0)
            if item.state in ("cancelled", "unsure") and turn.role == "user" and again >= TOLD_AGAIN:
                told = {"moved_by": sign.sentence, "moved_us": turn.at_us}
                self.items[at] = replace(item, state="open", reason="", spoken="", **told)
                return
            if item.state == "cancelled" and turn.role != "user" and shared / len(said) >= TOLD_AGAIN:
                return
        self._add(sign, turn, "open", said)

    def _move(
        self, sign: PlanSign, turn: SaidTurn, state: ItemState, among: tuple[ItemState, ...], *, alone: bool = True
    ) -> bool:
        """Moves what is meant; whether there was any."""
        said = matter_terms(sign.matter)
        if sign.pointing:
            last = max(0, len(self.items) - POINTS_BACK)
            near = [
                *range(last, len(self.items)),
                *([self._talked[0]] if self._turn - self._talked[1] <= LASTS else []),
            ]
            found = [at for at in near if at >= 0 and self.items[at].state in among][-1:]
        else:
            deed = frozenset(terms(sign.deed))
            pairs = matter_pairs(sign.matter)
            found = self._among(said | deed, among, deed, pairs)
            for part in matters_in(sign.matter) if not found else ():
                found += self._among(matter_terms(part) | deed, among, deed, pairs)
            if not found and not deed:
                whole = matter_pairs(sign.sentence)
                found = self._among(matter_terms(sign.sentence), among, deed, whole)
        if not found and alone and not sign.alone and not sign.deed:
            found = self._meant(sign)
        for at in (at for at in found if turn.role == "user" or not self.items[at].listed):
            self.items[at] = replace(
                self.items[at], state=state, moved_by=sign.sentence, moved_us=turn.at_us, reason=sign.reason, remark=""
            )
        fresh = not found and alone and sign.alone and bool(said) and not self._named
        if fresh and not any(item.state == state for _, item in self.alike(said, TOLD_AGAIN)):
            self._add(sign, turn, state, said)
        return bool(found)

    def _meant(self, sign: PlanSign) -> list[int]:
        """Takes what was only mentioned for work, since it has an end."""
        for pair in matter_pairs(sign.matter):
            if pair in self._mentioned and not any(pair in item.pairs for item in self.items):
                sentence, turn = self._mentioned[pair]
                self._add(PlanSign("open", sentence, sentence), turn, "open", matter_terms(sentence))
                return [len(self.items) - 1]
        return []

    def _among(
        self, said: frozenset[str], among: tuple[ItemState, ...], deed: frozenset[str], pairs: Pairs
    ) -> list[int]:
        return [at for at, item in self.alike(said, SAME, pairs) if item.state in among and deed <= item.terms]

    def _replace(self, sign: PlanSign, turn: SaidTurn) -> None:
        """The one is given up if it was planned; what takes its place is a decision, and work where the one was."""
        said = matter_terms(sign.matter)
        taken = matter_terms(sign.other)
        found = [(at, item) for at, item in self.alike(said - taken, SAME) if item.state == "open"]
        for at, item in found:
            self.items[at] = replace(
                item, state="cancelled", moved_by=sign.sentence, moved_us=turn.at_us, reason=sign.reason
            )
        self.decisions.append(Decision(sign.sentence, turn.role, turn.at_us, sign.reason))
        if found and taken:
            self._add(sign, turn, "open", taken)

    def _add(self, sign: PlanSign, turn: SaidTurn, state: ItemState, said: frozenset[str]) -> None:
        self._often.update(said)
        moved = state != "open"
        self.items.append(
            WorkItem(
                text=sign.sentence, state=state, by=turn.role, at_us=turn.at_us, terms=said,
                pairs=matter_pairs(sign.other or sign.matter), reason=sign.reason,
                moved_by=sign.sentence if moved else "", moved_us=turn.at_us if moved else 0,
            )
        )  # fmt: skip

    def _weight(self, words: Iterable[str]) -> float:
        """Words that stand in many items tell less which one is meant."""
        return sum((LIGHT if is_light(term) else 1.0) / math.sqrt(1 + self._often[term]) for term in words)

    def alike(self, said: frozenset[str], least: float, pairs: Pairs = frozenset()) -> list[tuple[int, WorkItem]]:
        """The items that speak of the same work, most alike first; one that alone has a name of it is meant."""
        weighed = self._weight(said)
        named = {pair: {item.terms for item in self.items if pair in item.pairs} for pair in pairs}
        found: list[tuple[float, int]] = []
        for at, item in enumerate(self.items):
            shared = shared_matter(said, item.terms)
            if not shared:
                continue
            share = self._weight(shared) / min(weighed, self._weight(item.terms))
            if any(len(named[pair]) == 1 for pair in pairs & item.pairs):
                share = max(share, NAMED)
            if share >= least:
                found.append((share, at))
        best = max((share for share, _ in found), default=0.0)
        near = sorted(((share, at) for share, at in found if share >= best * NEAR), key=lambda one: (-one[0], -one[1]))
        return [(at, self.items[at]) for _, at in near]
