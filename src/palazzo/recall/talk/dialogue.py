"""One running conversation of an agent: what was just heard, what is in mind, where it is heading, what may come next.

Owns the state between turns; what outlives the process is left with the minds, if there are any. Asks recall for
memories and an embedder for vectors, both handed in. Invariant: losing this state loses no memory, only warmth; without
an embedder there is no momentum and no anticipation, and everything else works.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from uuid import UUID

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from palazzo.errors import StorageError
from palazzo.model.capability import View
from palazzo.model.memory import Memory, by_another
from palazzo.ports import Clock
from palazzo.recall.answer.context import LOW, Context, ContextRuling, ContextTurn, build, injection_for
from palazzo.recall.answer.explain import warning
from palazzo.recall.answer.reply import Hit, Lane, Quality, Reply
from palazzo.recall.answer.standing import Drawn, applying, bounding, drawn_for, given_in, writers_here
from palazzo.recall.read.cue import Cue
from palazzo.recall.read.presets import FLOW, ModelTable, is_work, view_for
from palazzo.recall.recall import Meaning, Recall
from palazzo.recall.talk.working import (
    DRIFT_FADE,
    SENSORY_TURNS,
    Anticipated,
    Heard,
    Minds,
    Momentum,
    Saved,
    SensoryBuffer,
    Shift,
    Slot,
    Warmth,
    WorkingMemory,
)
from palazzo.store.api import Presence, SlotSource, Space
from palazzo.text.meaning.asked import read_traits
from palazzo.text.meaning.kinds import is_question
from palazzo.text.meaning.limits import matters_of
from palazzo.text.meaning.message import leans_back, passes_time, sets_language, spoken_of
from palazzo.text.safety.secrets import find_secrets
from palazzo.text.statements.tiers import make_tiers
from palazzo.text.words.parsed import parsed
from palazzo.text.words.remembered import kept_in
from palazzo.text.words.tokens import estimate_tokens

HELD_AT = 0.7
"""How present what was recalled is."""
SPOKEN_AT = 0.5
"""The same of what was said a while ago."""
AHEAD_AT = 0.4
"""The same of what was recalled for a turn that may come."""
HEADING_TURNS = 8
"""Turns that say where a conversation is heading: those before count less than a twentieth."""
SPOKEN_OF = 2
"""Turns that say what a message is about that leans on what was said before it."""
OWN_WORDS = 3
"""A message of fewer meaningful words is about what was said before."""
HELD_HITS = 3
"""Of what is recalled for a turn, the best are held in mind."""
OF_A_FLOW = 5
"""Of what its nodes gave, a flow reads so many in any run."""


OF_THE_USER = ("identity", "preference", "relationship", "employment", "residence")
"""Kinds of what somebody is like: work that is done for them may need it, whatever its words."""
NEAR_ANSWER = 0.33
"""Share of an answer's relevance that a fact needs to be shown beside it."""
FAR_FROM_IT = 0.5
"""Share of an answer's relevance below which a fact is far from it."""
FAR = 10
"""Of what is far from an answer this much is shown beside it: a word in common brings any number of them."""
BESIDE = 3
"""Of these the nearest that come along."""
STANDING = ("identity", "instruction")
"""Lanes of what holds before anything is asked: it is there for every turn and need not be held in mind."""
NOTHING_ASKED = Reply(
    hits=(), quality=Quality(mode="full", intent="small talk", weights="none", candidates=0, tokens=0, latency_ms=0.0)
)
"""What is recalled for small talk."""


Admit = Callable[[tuple[Hit, ...]], tuple[tuple[Hit, ...], tuple[ContextRuling, ...]]]
"""Decides which of what was recalled may enter a context that nobody asked for word by word."""


def every_hit(hits: tuple[Hit, ...]) -> tuple[tuple[Hit, ...], tuple[ContextRuling, ...]]:
    """Lets everything in: for whoever composes a context without a guard."""
    return hits, ()


class _Blended:
    """Embeds a cue and pulls it towards where the conversation is heading."""

    def __init__(self, meaning: Meaning, momentum: Momentum) -> None:
        self._meaning = meaning
        self._momentum = momentum

    def query(self, cue: str, known: Sequence[Space] | None = None) -> tuple[str, NDArray[np.float32] | None, str]:
        space, vector, why = self._meaning.query(cue, known)
        return space, None if vector is None else self._momentum.blend(vector), why


def _slot(hit: Hit, text: str, activation: float, at_us: int, source: SlotSource = "recall") -> Slot:
    return Slot(hit.kref, text, estimate_tokens(text), activation, at_us, hit.memory.id, warning(hit), source)


def _spoken(heard: Heard, now_us: int) -> Slot | None:
    """What a turn states, in short; nothing of small talk, of a question, or of what holds a secret."""
    told = [said.text.strip() for said in parsed(heard.text).sentences]
    told = [said for said in told if not passes_time(said) and not is_question(said)]
    if not told or find_secrets(heard.text):
        return None
    text = make_tiers(" ".join(told)).key_fact
    ref = _said_as(heard.text)
    return Slot(ref, text, estimate_tokens(text), SPOKEN_AT, now_us, None, "said before", "sensory")


def _said_as(text: str) -> str:
    """The reference of what was said in these words."""
    return f"said:{blake2b(text.strip().encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"


def _told(speaker: str, hit: Hit, view: View) -> str:
    """Who said a turn, and who brought it if that is neither who asks nor the owner."""
    author = by_another(hit.memory, view.subject)
    return f"{speaker} (told by {author})" if author else speaker


class Dialogue:
    """The state of one conversation. Not shared between threads."""

    def __init__(
        self, recall: Recall, meaning: Meaning, clock: Clock, models: ModelTable | None = None,
        admit: Admit = every_hit, minds: Minds | None = None,
    ) -> None:  # fmt: skip
        """With `minds` the slots are those that whoever asks left in the palace, and are left there again."""
        self._recall = recall
        self._meaning = meaning
        self._clock = clock
        self._models = models or ModelTable.of()
        self._admit = admit
        self._minds = minds
        self._space = ""
        self._leaning = ""
        """What is in mind, in a few words, for a message that says little by itself."""
        self._ahead: Anticipated[tuple[View, Reply]] = Anticipated()
        self.buffer = SensoryBuffer()
        self.working = WorkingMemory()
        self.momentum = Momentum()
        kept_in(self, recall.store)

    def forget(self) -> None:
        """Lets go of what was heard and recalled: the conversation goes on without its warmth."""
        self._ahead = Anticipated()
        self.buffer = SensoryBuffer()
        self.working = WorkingMemory()

    def hear(self, speaker: str, text: str) -> tuple[Shift, tuple[Slot, ...]]:
        """Takes in a turn; returns whether the topic shifted, and what fell out of mind if it changed."""
        now_us = self._clock.now_us()
        self.buffer.hear(Heard(speaker, text, now_us))
        space, vector, _ = self._meaning.query(text)
        if vector is None:
            return "continue", ()
        if space != self._space:
            self._space, self.momentum = space, Momentum()
        shift = self.momentum.shift(vector)
        promoted: tuple[Slot, ...] = ()
        if shift == "switch":
            promoted, self.momentum = self.working.clear(now_us), Momentum()
        elif shift == "drift":
            self.working.fade(DRIFT_FADE, now_us)
        self.momentum.add(vector)
        return shift, promoted

    def listen(self, history: Sequence[Heard]) -> None:
        """Takes in what was said before: it says where the conversation is heading.

        With an embedder elsewhere it is history only, for nobody should wait for a vector of each turn.
        """
        for heard in history[-SENSORY_TURNS:]:
            self.buffer.hear(heard)
        if self._recall.remote:
            return
        for heard in history[-HEADING_TURNS:]:
            space, vector = self._recall.turns.of(heard.text)
            if vector is None:
                return
            if space != self._space:
                self._space, self.momentum = space, Momentum()
            self.momentum.add(vector)

    def _history(self, brought: Sequence[Heard], thread: str, message: str, view: View) -> tuple[Heard, ...]:
        """What was said before: as it is brought, else the last turns of the thread that may enter a context."""
        if brought or not thread:
            return tuple(brought)
        said = self._recall.last_turns(thread, view, SENSORY_TURNS + 1)
        admitted = {hit.memory.id for hit in self._admit(tuple(hit for _, hit in said))[0]}
        told = [
            Heard(_told(speaker, hit, view), hit.memory.text, hit.memory.revision.content.valid_from_us or 0)
            for speaker, hit in said
            if hit.memory.id in admitted
        ]
        if told and told[-1].text.strip() == message.strip():
            told.pop()  # the message itself was observed before it was asked about
        return tuple(told[-SENSORY_TURNS:])

    def _turned(self, message: str, now_us: int) -> None:
        """Lets go of what is in mind when the topic changes; a message that says little by itself stays on it."""
        if self.momentum.centroid is None or len(parsed(message).content_terms) < OWN_WORDS:
            return
        space, vector = self._recall.turns.of(message)
        if vector is None or space != self._space:
            return
        shift = self.momentum.shift(vector)
        if shift == "drift":
            self.working.fade(DRIFT_FADE, now_us)
        elif shift == "switch":
            self.working.clear(now_us)
            self.momentum = Momentum()

    def recall(self, cue: Cue, view: View) -> Reply:
        """Recall with the conversation's momentum; an answer recalled ahead is used when the turn is near enough."""
        vector = self._meaning.query(cue.text)[1] if len(self._ahead) else None
        if vector is not None:
            ready = self._ahead.get(vector, self._clock.now_us())
            if ready is not None and ready[0] == view and self._recall.stands(ready[1], view):
                return replace(ready[1], quality=replace(ready[1].quality, cached=True))
        if not cue.about and leans_back(cue.text):
            said = spoken_of([heard.text for heard in self.buffer.last(SPOKEN_OF)])
            cue = replace(cue, about=said or self._leaning)
        return self._recall.recall(cue, view, _Blended(self._meaning, self.momentum))

    def recall_in(self, cue: Cue, view: View, history: Sequence[Heard]) -> Reply:
        """Recall for a cue after what was said before it: as it is brought, else the last turns of the cue's thread.

        A cue that says by itself what it is about is recalled as it is.
        """
        if not leans_back(cue.text):
            return self._recall.recall(cue, view)
        self.listen(self._history(history, cue.thread, cue.text, view))
        return self.recall(cue, view)

    def anticipate(self, predicted: str, view: View) -> Reply:
        """Recalls for a turn that may come next, while the reply to this one is being written: a turn near enough to it
        within a minute is answered at once, and the best of it is in mind until then.

        Raises: StorageError.
        """
        now_us = self._clock.now_us()
        if self._minds is not None:
            self._take_up(self._minds, view, now_us)
            self._recollect(self._minds.warmth(view), "", now_us)
        found = self._recall.recall(Cue(text=predicted), view)
        _, vector, _ = self._meaning.query(predicted)
        if vector is not None:
            self._ahead.put(vector, (view, found), now_us)
        bearing = tuple(hit for hit in found.hits if hit.relevance >= self._recall.floor)
        for hit in self._admit(bearing)[0][:HELD_HITS]:
            self.working.take(_slot(hit, hit.said, AHEAD_AT, now_us, "anticipated"))
        if self._minds is not None:
            self._minds.keep(view, self.save())
        return found

    def in_mind(self, view: View) -> tuple[Slot, ...]:
        """What this reader has in mind, most present first."""
        now_us = self._clock.now_us()
        if self._minds is not None:
            self._take_up(self._minds, view, now_us)
            for slot in self._minds.warmth(view).spoken:
                self.working.put(slot)
        return self.working.held(now_us)

    def hold(self, memory: Memory, view: View, source: SlotSource) -> tuple[Slot, ...]:
        """Takes a memory into mind on purpose, if it may enter a context; returns what is in mind then.

        Raises: StorageError.
        """
        now_us = self._clock.now_us()
        self.in_mind(view)
        for hit in self._admit(self._recall.hits_of([memory], view))[0]:
            self.working.take(_slot(hit, hit.said, 1.0, now_us, source))
        if self._minds is not None:
            self._minds.keep(view, self.save())
        return self.working.held(now_us)

    def let_go(self, view: View, memory: Memory | None = None) -> int:
        """Lets go of one memory, or of everything that is in mind; how much that was.

        Raises: StorageError.
        """
        now_us = self._clock.now_us()
        held = self.in_mind(view)
        gone = [slot for slot in held if memory is None or slot.memory_id == memory.id]
        for slot in gone:
            self.working.drop(slot.ref)
        if self._minds is not None:
            self._minds.clear(view, now_us)
            if memory is not None:
                self._minds.warmth(view).spoken = tuple(s for s in self.working.held(now_us) if s.memory_id is None)
                self._minds.keep(view, self.save())
        return len(gone)

    def context(self, turn: ContextTurn, view: View) -> Context:
        """The context for a turn, from buffer and slots unless it brings its own; the best hits stay in mind.

        What is for a task, a flow, an orchestrator or a delegation is read in the scope of that purpose, and for
        another than the one who asks nothing of this conversation goes along.
        Raises: InvalidInput when the budget is too small or the purpose does not exist.
        """
        now_us = self._clock.now_us()
        seen = view_for(turn.purpose, view, turn.delegate)
        own = seen == view
        minds = self._minds if own and view.as_of_us is None else None
        warm = minds.warmth(view) if minds is not None else None
        if minds is not None and warm is not None:
            self._take_up(minds, view, now_us)
            self._recollect(warm, turn.thread, now_us)
        if own and not len(self.buffer):
            self.listen(self._history(turn.history, turn.thread, turn.message, view))
            self._turned(turn.message, now_us)
        if own:
            if not len(self.buffer) and leans_back(turn.message):
                self._head_for(view, now_us)
            turn = replace(turn, history=turn.history or self.buffer.last())
            turn = replace(turn, slots=turn.slots or self._in_mind(turn, now_us))
        rulings: list[ContextRuling] = []
        idle, injection = passes_time(turn.message), injection_for(turn)
        standing, ruled_first = self._admit(self._applying(turn, seen, idle=idle))
        drawn, ruled_drawn = self._drawn(turn.sections or (LOW if injection == "deep" else ()), seen, now_us)
        turn = replace(turn, standing=standing, drawn=drawn, injection=injection)

        def recalled(budget: int) -> Reply:
            rulings[:] = (*ruled_first, *ruled_drawn)
            if injection == "minimal":
                return NOTHING_ASKED
            # Whether something is an answer says little of a message that asks for none: there each hit counts alone.
            asks = is_question(turn.message)
            cue = Cue(
                text=turn.message, budget_tokens=budget, work=is_work(turn.purpose), thread=turn.thread,
                min_relevance=None if asks else 0.0, preset="deep" if injection == "deep" else "balanced",
            )  # fmt: skip
            reply = self.recall(cue, view) if own else self._recall.recall(cue, seen)
            said = {turn.message, *(heard.text for heard in turn.history)}
            # Which instructions apply was decided above; the lane of recall has the nearest, whatever they are about.
            found = [hit for hit in reply.hits if hit.lane != "instruction" or hit.memory.kind != "instruction"]
            found = [hit if hit.lane != "instruction" else replace(hit, lane="recalled") for hit in found]
            if standing:  # an older word on the language to answer in is not shown beside the one that holds
                found = [hit for hit in found if not sets_language(hit.memory.text)]
            found = self._bearing(found, asks=asks)
            if turn.purpose == FLOW:
                found += self._of_earlier_runs(found, seen)
            hits, ruled = self._admit(tuple(hit for hit in found if hit.memory.text not in said))
            rulings.extend(ruled)
            return replace(reply, hits=hits)

        made = replace(build(turn, self._models, recalled), scope=seen.scope, rulings=tuple(rulings))
        for hit in [hit for hit in made.reply.hits if hit.lane not in STANDING][:HELD_HITS] if own else ():
            self.working.take(_slot(hit, hit.said, HELD_AT, now_us))
        if minds is None or warm is None:
            return made
        warm.hear(turn.thread, Heard("user", turn.message, now_us))
        warm.spoken = tuple(slot for slot in self.working.held(now_us) if slot.memory_id is None)
        try:
            minds.keep(view, self.save())
        except StorageError as error:
            quality = made.reply.quality
            quality = replace(quality, dropped=(*quality.dropped, ("in mind", str(error))))
            made = replace(made, reply=replace(made.reply, quality=quality))
        return made

    def _applying(self, turn: ContextTurn, view: View, *, idle: bool) -> tuple[Hit, ...]:
        """Who the user is, what somebody cannot have or do in what the message is about, and the standing instructions
        that apply to it."""
        work = is_work(turn.purpose) or read_traits(turn.message, 0).request
        found = applying(self._recall.standing(view), turn.message, self._word, small_talk=idle, work=work)
        limits = [] if idle or not matters_of(turn.message) else bounding(self._recall.limits(view), turn.message)
        who = list({memory.id: memory for memory in (*found.who, *limits)}.values())
        lanes: dict[UUID, Lane] = {memory.id: "identity" for memory in who}
        lanes |= {memory.id: "instruction" for memory in found.rules}
        hits = self._recall.hits_of([*who, *found.rules], view)
        return tuple(replace(hit, lane=lanes[hit.memory.id]) for hit in hits)

    def _drawn(
        self, sections: Sequence[Drawn], view: View, now_us: int
    ) -> tuple[dict[str, Sequence[Hit | str]], list[ContextRuling]]:
        """What memory has for these sections, as far as it may enter a context, and what was decided about it."""
        found: dict[str, Sequence[Hit | str]] = {}
        rulings: list[ContextRuling] = []
        for section in sections:
            with self._recall.store.reading(view) as reading:
                if section == "roster":
                    found[section] = writers_here(reading)
                    continue
                memories = drawn_for(reading, section, now_us, self._recall.zone)
            found[section], ruled = self._admit(self._recall.hits_of(memories, view))
            rulings.extend(ruled)
        return found, rulings

    def _bearing(self, found: Sequence[Hit], *, asks: bool) -> list[Hit]:
        """What bears on a message: what reaches the floor, and where a question has an answer what comes near it; where
        nothing is asked, a little of what the user is like beside it."""
        floor = self._recall.floor
        if asks:
            best = max((hit.relevance for hit in found), default=0.0)
            floor = max(floor, NEAR_ANSWER * best)
            far = [hit.memory.id for hit in found if hit.lane == "recalled" and hit.relevance < FAR_FROM_IT * best]
            beyond = set(far[FAR:])
            found = [hit for hit in found if hit.memory.id not in beyond]
        of_user = [hit.memory.id for hit in found if hit.relevance < floor and hit.memory.kind in OF_THE_USER]
        beside = [] if asks else of_user[:BESIDE]
        return [hit for hit in found if hit.relevance >= floor or hit.lane != "recalled" or hit.memory.id in beside]

    def _of_earlier_runs(self, found: Sequence[Hit], view: View) -> list[Hit]:
        """What the nodes of a flow gave last, up to five with what was recalled of it: whatever the input is about."""
        with self._recall.store.reading(view) as reading:
            given = given_in(reading, view.scope)
        known = {hit.memory.id for hit in found}
        of_it = sum(one.id in known for one in given)
        return list(
            self._recall.hits_of([one for one in given if one.id not in known][: max(0, OF_A_FLOW - of_it)], view)
        )

    def _recollect(self, warm: Warmth, thread: str, now_us: int) -> None:
        """Takes up what is at hand in this process alone: what was said a while ago is taken into mind in short."""
        for slot in (*warm.spoken, *(_spoken(heard, now_us) for heard in warm.settled(thread, now_us))):
            if slot is not None:
                self.working.put(slot)
        self._ahead = warm.ahead

    def _head_for(self, view: View, now_us: int) -> None:
        """Goes on where the mind was: what is in it says where a conversation is heading that tells no turn of it."""
        held = sorted(self.working.held(now_us), key=lambda slot: slot.at(now_us))
        self._leaning = spoken_of([slot.text for slot in held[-SPOKEN_OF:]])
        with self._recall.store.reading(view) as reading:
            space = reading.search.space()
            left = [Presence(slot.memory_id, slot.activation, slot.touched_us) for slot in held if slot.memory_id]
            seen = reading.minds.seen(left, now_us).held if left else ()
            keys = [m.revision.key for m, _ in sorted(seen, key=lambda one: one[1].touched_us) if m.tier == "clear"]
            if space is None or not keys:
                return
            found, rows = reading.search.vectors_of(space, np.sort(np.array(keys, np.int64)))
        vectors = dict(zip(found.tolist(), rows, strict=True))
        self._space, self.momentum = space.name, Momentum()
        for key in keys:
            if key in vectors:
                self.momentum.add(vectors[key])

    def _in_mind(self, turn: ContextTurn, now_us: int) -> tuple[Slot, ...]:
        """What is still in mind, of which a question that says by itself what it is about gets what shares a word."""
        message, told = turn.message, {_said_as(heard.text) for heard in turn.history}
        held = [slot for slot in self.working.held(now_us) if slot.ref not in told]
        if not is_question(message) or leans_back(message):
            return tuple(held)
        asked = frozenset(parsed(message).content_terms)
        return tuple(slot for slot in held if not asked.isdisjoint(parsed(slot.text).content_terms))

    def _word(self, word: str) -> NDArray[np.float32] | None:
        return None if self._recall.remote else self._recall.turns.of(word)[1]

    def _take_up(self, minds: Minds, view: View, now_us: int) -> None:
        """Takes up what was left in mind, as far as it may still enter a context."""
        switched, left = minds.switched(view), minds.left(view)
        if left is None:
            return
        memories = {memory.id: memory for memory, _ in left.held}
        admitted, _ = self._admit(self._recall.hits_of(list(memories.values()), view, recalled=True))
        let_in = {hit.memory.id: hit for hit in admitted}
        slots = [
            _slot(let_in[memory.id], let_in[memory.id].said, one.activation, one.touched_us, one.source)
            for memory, one in left.held
            if memory.id in let_in
        ]
        if switched:
            self.working.restore(Saved(tuple(slots), left.at_us), now_us)
        else:
            self.working.resume(Saved(tuple(slots), left.at_us))

    def save(self) -> Saved:
        """What is in mind, for when the agent comes back."""
        return self.working.save(self._clock.now_us())

    def restore(self, saved: Saved) -> str:
        """Takes back what was in mind; says how much of it survived."""
        return self.working.restore(saved, self._clock.now_us())
