"""Scenes of `palazzo demo` about belief: a change of taste with what rests on it, a correction, a switched tool, and a
habit that moved on. Each works at places of its own and shows what was believed before and after.
"""

from __future__ import annotations

from collections.abc import Iterator

from palazzo.belief.operations import Assertion
from palazzo.belief.staleness import DAY_US
from palazzo.engine import Engine
from palazzo.model.address import Place
from palazzo.model.belief import BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, PlaceMemory
from palazzo.model.graph import Node
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.scope import Scope

Scene = tuple[str, list[str]]
SCOPE = Scope.of(project="demo-beliefs")
VIEW = View(scope=SCOPE)


def scenes(engine: Engine) -> Iterator[Scene]:
    """Plays the scenes one after the other."""
    yield _palette(engine)
    yield _colour(engine)
    yield _editor(engine)
    yield _habit(engine)


def _said(slot: str, value: str, text: str, kind: str = "decision") -> Assertion:
    return Assertion(
        atoms=(Atom("user", slot, value, functional=True),), text=text, kind=kind, scope=SCOPE,
        name=slot.replace("_", "-"), place=Place(("creative", "art")),
    )  # fmt: skip


def _palette(engine: Engine) -> Scene:
    beliefs = engine.beliefs
    tones = beliefs.revise(_said("tones", "warm", "Warm tones for the site"), VIEW)
    palette = beliefs.revise(_said("palette", "earth", "An earth palette"), VIEW)
    assert tones.memory_id  # noqa: S101 - a new belief always has a memory
    assert palette.memory_id  # noqa: S101
    engine.store.commit([AddEdge("depends_on", Node(palette.memory_id), Node(tones.memory_id))])
    changed = beliefs.revise(_said("tones", "cool", "Cool tones after all"), VIEW)
    resting = [engine.beliefs.why(step.memory_id, VIEW).memory.text for step in beliefs.impact(tones.memory_id, VIEW)]
    return "A taste changes, and what rests on it is named", [
        f"given up: {', '.join(changed.dropped)}",
        f"held: {'; '.join(one for one in beliefs.held(VIEW) if 'tones' in one or 'palette' in one)}",
        f"to look at again: {', '.join(resting)}",
        beliefs.why(tones.memory_id, VIEW).text,
    ]


def _colour(engine: Engine) -> Scene:
    beliefs = engine.beliefs
    for value in ("blue", "black"):
        beliefs.revise(_said("favourite_colour", value, f"My favourite colour is {value}.", "preference"), VIEW)
    denied = Assertion(
        atoms=(Atom("user", "favourite_colour", "black", functional=True, negated=True),), scope=SCOPE,
        kind="preference", text="No, black was a slip.",
    )  # fmt: skip
    back = beliefs.revise(denied, VIEW)
    return "A correction brings back what the error had displaced", [
        "blue, then black, then: not black",
        f"back again: {', '.join(back.reinstated)}",
    ]


def _editor(engine: Engine) -> Scene:
    beliefs = engine.beliefs
    first = beliefs.revise(_said("uses_for_editing", "vim", "I use vim"), VIEW)
    beliefs.revise(_said("uses_for_editing", "Helix", "I switched to Helix"), VIEW, occasion="change")
    now = [one for one in beliefs.held(VIEW) if "editing" in one]
    assert first.memory_id  # noqa: S101 - a new belief always has a memory
    beliefs.rollback(first.memory_id, 1, VIEW)
    then = [one for one in beliefs.held(VIEW) if "editing" in one]
    return "A tool is switched; the old value is one call away", [f"held: {now[0]}", f"rolled back: {then[0]}"]


def _habit(engine: Engine) -> Scene:
    now = engine.clock.now_us()
    memory_id = new_id(now)
    engine.store.commit([
        PlaceMemory(
            memory_id=memory_id, place=Place(("life", "preferences")), name="language", kind="preference", scope=SCOPE,
            content=RevisionDraft(text="The user prefers Python."), created_us=now - 90 * DAY_US,
        )
    ])  # fmt: skip
    day = now // DAY_US
    counts = (("python", 8), ("rust", 222))
    engine.beliefs.signal([BehaviourSignal(family="language", dimension=d, day=day, count=n) for d, n in counts], SCOPE)
    (found,) = engine.beliefs.staleness(VIEW).audit([memory_id])
    hits = engine.recall("Does the user prefer Python?", VIEW).hits
    hit = next(hit for hit in hits if hit.memory.id == memory_id)
    axes = found.axes
    undivided = max(0.4 * axes.semantic, 0.2 * axes.temporal, 0.4 * axes.behavioral)
    return "A habit moved on, and the memory of it is marked", [
        f"semantic {axes.semantic:.2f}, temporal {axes.temporal:.2f}, behavioral {axes.behavioral:.2f}",
        f"combined {found.severity:.2f} against 0.70: flagged (undivided it would be {undivided:.2f}, above 0.35 only)",
        f"recall says: {hit.text} ({hit.caveat})",
    ]
