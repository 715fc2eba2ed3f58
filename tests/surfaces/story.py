"""A palace with a story in it, for the tests of the dashboard and the pictures in its page: everything in it is told
through the operations anybody has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from palazzo.bootstrap import create_engine, load_settings
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.testing.clock import FixedClock

NOTES: tuple[tuple[str, str, str, int], ...] = (
    ("The launch of Heron is planned for the third of March.", "work.projects.heron", "task", 13),
    ("Heron's backend is in Rust, its frontend in React.", "work.projects.heron", "decision", 12),
    ("Heron listens on port 8080 behind nginx.", "work.projects.heron", "fact", 11),
    ("Mira leads the Heron team and prefers written updates.", "work.people", "fact", 11),
    ("Jonas works with Mira on the Heron frontend.", "work.people", "fact", 9),
    ("Deploys to production happen on Tuesdays.", "work.projects.heron", "decision", 8),
    ("The design review of Heron found the onboarding too long.", "work.projects.heron", "event", 7),
    ("Kestrel is the billing service; Tomas owns it.", "work.projects.kestrel", "fact", 6),
    ("Kestrel's invoices are sent on the first of each month.", "work.projects.kestrel", "fact", 6),
    ("I am allergic to peanuts.", "life.health", "identity", 5),
    ("My sister Lena lives in Lisbon with two cats.", "life.people", "relationship", 4),
    ("Always answer me in metric units.", "life.preferences", "instruction", 4),
    ("I prefer tea to coffee in the morning.", "life.preferences", "preference", 3),
    ("We saw storks over the river on the walk to Whitby.", "forest.week", "event", 2),
    ("The bread recipe wants a night in the fridge.", "life.kitchen", "procedure", 1),
    ("Read the second chapter of the tide tables.", "library.reading", "task", 0),
)  # fmt: skip


def tell(folder: Path, *, embedder: str = "none") -> dict[str, Any]:
    """Makes the palace; returns the ids of what was told, by the first words of each."""
    settings = load_settings({"palace": str(folder), "embedder": embedder, "passphrase": "", "durable": "no"})
    clock = FixedClock(datetime.now(UTC) - timedelta(days=NOTES[0][3], minutes=30))
    with create_engine(settings, clock=clock) as engine:

        def ask(name: str, who: str = "operator", /, **given: Any) -> Any:
            return call(engine, Caller(subject=who), name, given)

        told: dict[str, Any] = {}
        day = NOTES[0][3]
        for text, place, kind, days in NOTES:
            clock.advance(days=day - days, seconds=1)
            day = days
            kept = ask("remember", text=text, place=place, kind=kind)
            told[" ".join(text.split()[:2])] = kept.memories[0]
        clock.advance(minutes=1)
        ask("update", memory=str(told["Heron listens"]), text="Heron listens on port 9090 behind nginx.")
        ask("update", memory=str(told["The launch"]), text="The launch of Heron is planned for the tenth of March.")
        ask("relate", source=str(told["The launch"]), target=str(told["Heron's backend"]), kind="depends_on",
            metadata={"because": "it goes out with it"})  # fmt: skip
        ask("relate", source=str(told["Deploys to"]), target=str(told["Heron listens"]), kind="related_to")
        ask("relate", source=str(told["Jonas works"]), target=str(told["Mira leads"]), kind="supports")
        ask("tag", memory=str(told["The launch"]), tag="published")
        ask("tag", memory=str(told["Heron's backend"]), tag="architecture")
        ask("remember", text="My favourite colour is blue.", place="life.preferences")
        clock.advance(minutes=1)
        ask("remember", text="My favourite colour is black.", place="life.preferences")
        ask("remember", text="My name is Lea.", place="life.people")
        ask("remember", text="My name is Leah.", place="life.people")
        ask("remember", text="I always drink espresso.", place="life.preferences", kind="preference", verbatim=True)
        ask(
            "signal",
            counts=[{"family": "drink", "dimension": "tea", "count": 60}, {"family": "drink", "dimension": "espresso"}],
        )
        ask("grant", subject="agent:primary", level="write", place="work.**")
        ask(
            "propose", "agent:primary", text="Deploys happen on Tuesdays.",
            sources=[{"kind": "url", "reference": "https://example.org/wiki"}],
        )  # fmt: skip
        rule = "Answer questions about releases from the changelog."
        ask("remember", "agent:primary", text=rule, place="work.projects.heron", kind="instruction")
        ask("remember", text="Anna's flight leaves at noon.", place="life.goals", kind="task", user_id="anna")
        ask("recall", cue="when is the Heron launch?")
        return told
