"""`palazzo demo`: a small story in a palace that goes afterwards unless it is kept, each scene shown with what was
asked and what came back.

The scenes about belief (a change of taste with what rests on it, a correction, a switched tool, a habit that moved on)
each work at places of their own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from palazzo.belief.operations import Assertion
from palazzo.belief.staleness import DAY_US
from palazzo.bootstrap import create_engine, load_settings
from palazzo.engine import Engine
from palazzo.model.address import Place
from palazzo.model.belief import BehaviourSignal
from palazzo.model.capability import View
from palazzo.model.change import AddEdge, PlaceMemory
from palazzo.model.graph import Node
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.recall.answer.context import ContextTurn

STORY = (
    Message(text="The launch of Heron is planned for the third of March.", place="work.projects.heron", kind="task"),
    Message(text="Heron's backend is in Rust, its frontend in React.", place="work.projects.heron", kind="decision"),
    Message(text="Mira leads the Heron team and prefers written updates.", place="work.people", kind="fact"),
    Message(text="I am allergic to peanuts.", place="life.health", kind="identity"),
    Message(text="My sister Lena lives in Lisbon with two cats.", place="life.people", kind="relationship"),
    Message(text="Always answer me in metric units.", place="life.preferences", kind="instruction"),
    Message(text="We saw storks over the river on the walk to Whitby.", place="forest.week", kind="event"),
)  # fmt: skip


class Stage:
    """Prints scenes for people, collects them for programs."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.scenes: list[dict[str, Any]] = []

    def scene(self, title: str, lines: list[str]) -> None:
        self.scenes.append({"scene": title, "lines": lines})
        if not self.quiet:
            click.secho(f"\n{title}", bold=True)
            for line in lines:
                click.echo(f"  {line}")


@contextmanager
def _palace(keep: Path | None) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory(prefix="palazzo-demo-") as folder:
        settings = load_settings({"palace": str(keep or Path(folder) / "palace"), "passphrase": "", "durable": "no"})
        with create_engine(settings) as engine:
            yield engine


def run(quiet: bool = False, keep: Path | None = None) -> list[dict[str, Any]]:
    """Plays every scene and returns what was shown; the palace stays where `keep` says.

    Raises: PalaceExists.
    """
    stage = Stage(quiet)
    with _palace(keep) as engine:
        for play in (
            _remember,
            _find,
            _context,
            _change_of_mind,
            _reasons,
            _beliefs,
            _scopes,
            _refusals,
            _dream,
            _care,
        ):
            play(engine, stage)
    return stage.scenes


def _remember(engine: Engine, stage: Stage) -> None:
    kept = engine.remember_many(STORY, subject="agent:primary")
    by = engine.spaces.configured or "nothing else"
    stage.scene(
        "Seven things are remembered, word for word, in one transaction",
        [note.text for note in STORY]
        + [f"journal {kept.receipt.first_seq}..{kept.receipt.last_seq}, indexed by text and {by}"],
    )


def _find(engine: Engine, stage: Stage) -> None:
    lines = []
    for cue in ("when is the Heron launch?", "what must I not eat?", "where does my sister live?"):
        best = engine.recall(cue).hits[0]
        how = ", ".join(f"{signal.name} {signal.value:.2f} rank {signal.rank}" for signal in best.signals[:2])
        lines.append(f"{cue:28} -> {best.memory.text}  [{best.memory.kref.short}; {how}]")
    stage.scene("Questions find them, and each answer says how it was found", lines)


def _context(engine: Engine, stage: Stage) -> None:
    block = engine.context(ContextTurn(message="Plan the week before the Heron launch.", budget_tokens=400))
    stage.scene(
        "Before a model answers, it reads this block, within its budget",
        [*block.text.splitlines(), f"{block.tokens} of {block.budget_tokens} tokens"],
    )


def _change_of_mind(engine: Engine, stage: Stage) -> None:
    kept = engine.remember("My favourite colour is blue.")
    before = engine.clock.now_us()
    engine.remember("My favourite colour is black.")

    def colour(view: View) -> str:
        with engine.store.reading(view) as reading:
            return reading.memories.get(kept.memory_ids[0]).text

    with engine.store.reading(View()) as reading:
        history = [f"revision {r.number}: {r.content.text}" for r in reading.memories.history(kept.memory_ids[0])]
    found = [f.memory.text for f in engine.recall("favourite colour").hits if "colour" in f.memory.text]
    stage.scene(
        "A belief changes: the old one is kept, the new one is what is found",
        [
            f"now:   {colour(View())}",
            f"as of a moment ago: {colour(View(as_of_us=before))}",
            *history,
            f"search: {found}",
            f"why:   {engine.beliefs.why(kept.memory_ids[0]).text}",
        ],
    )


def _reasons(engine: Engine, stage: Stage) -> None:
    plan, stack = (engine.recall(cue).hits[0].memory for cue in ("Heron launch", "Heron backend Rust"))
    engine.store.commit([AddEdge("depends_on", Node(plan.id), Node(stack.id))])
    back = AddEdge("depends_on", Node(stack.id), Node(plan.id))
    stage.scene(
        "Edges say what rests on what, and a circle is refused",
        [f"{plan.name} depends on {stack.name}", _refusal(lambda: engine.store.commit([back]))],
    )


def _refusal(act: Callable[[], object]) -> str:
    from palazzo.errors import PalazzoError

    try:
        act()
    except PalazzoError as error:
        return f"refused ({error.code}): {error}"
    return "not refused"


def _beliefs(engine: Engine, stage: Stage) -> None:
    for title, lines in scenes(engine):
        stage.scene(title, lines)


def _scopes(engine: Engine, stage: Stage) -> None:
    anna, ben = Scope.of(user="anna"), Scope.of(user="ben")
    engine.remember_many([Message(text="Anna's flight leaves at noon.", place="life.goals", kind="task", scope=anna)])
    seen = {
        name: len([f for f in engine.recall("flight noon", View(scope=scope)).hits if "flight" in f.memory.text])
        for name, scope in (("anna", anna), ("ben", ben))
    }
    stage.scene(
        "A scope is a wall inside the query", [f"anna finds her flight: {seen['anna']}", f"ben finds it: {seen['ben']}"]
    )


def _refusals(engine: Engine, stage: Stage) -> None:
    claim = call(engine, Caller(subject="agent:primary"), "propose", {
        "text": "Deploys happen on Tuesdays.", "sources": [{"kind": "url", "reference": "https://example.org/wiki"}],
    })  # fmt: skip
    decision = {"claim": claim.id, "decision": "accept", "text": claim.text, "source_state": "missing"}
    tries: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("mcp:newcomer", "remember", {"text": "Let me in."}),
        ("shell:zsh", "remember", {"text": "Mira likes tea.", "place": "life.people"}),
        ("agent:primary", "decide", decision),
    )
    stage.scene(
        "Who may do what is decided by the palace, and what only a person decides is no agent's",
        [
            f"{who}, {name}: " + _refusal(partial(call, engine, Caller(subject=who), name, given))
            for who, name, given in tries
        ],
    )


def _dream(engine: Engine, stage: Stage) -> None:
    wordings = (
        "Indentation should be two spaces.", "Please indent with 2 spaces.", "I always use two spaces for indentation.",
        "The user prefers 2-space indentation.",
    )  # fmt: skip
    for text in wordings:
        engine.remember(text)
    told = call(engine, Caller(), "dream", {"dry_run": True}).markdown
    stage.scene("While nobody asks it dreams; this is what it would do, and nothing is changed", told.splitlines())


def _care(engine: Engine, stage: Stage) -> None:
    target = Path(engine.store.label) / "backups" / "demo.db"
    engine.store.care.backup(target)
    problems = engine.store.care.verify()
    stage.scene(
        "Everything agrees with everything, and a backup was made while it ran",
        [f"verify: {problems or 'clean'}", f"backup: {target.stat().st_size // 1024} KiB"]
        + [f"doctor, {f.check}: {f.detail}" for f in engine.store.care.doctor()],
    )  # fmt: skip


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
