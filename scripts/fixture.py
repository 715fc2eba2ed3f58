"""Writes tests/fixtures/palace-NNNN.db: a small palace as this release's last migration leaves it, kept for ever.

    python -m scripts.fixture

Run it when a release with a new migration goes out; later releases must open every file there.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from palazzo.model.change import AddRevision, AddSpace, Attachments
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.model.message import Turn
from palazzo.model.scope import Scope
from palazzo.store.sql.migrations import MIGRATIONS
from palazzo.store.sqlite.palace import FILE
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import make_store, place_memory

FOLDER = Path(__file__).parent.parent / "tests" / "fixtures"


def main() -> None:
    """Makes the palace and puts its file where the tests look."""
    embedder = HashEmbedder(dimensions=16)
    with tempfile.TemporaryDirectory() as base, make_store(Path(base) / "palace") as store:
        store.commit([AddSpace(embedder.name, embedder.name, 16)])
        colour = place_memory(
            "The favourite colour is blue", place="life.preferences", kind="preference", name="colour",
            atoms=(Atom("user", "favourite colour", "blue", functional=True),),
            attachments=Attachments(vectors={embedder.name: embedder.embed_query("blue")}),
        )  # fmt: skip
        said = [
            place_memory(
                f"Line {n} of a talk", place="conversations.talk", kind="exchange", scope=Scope.of(user="anna"),
                attachments=Attachments(turn=Turn("talk", "one", speaker="Anna")),
            )
            for n in range(3)
        ]  # fmt: skip
        store.commit([colour, *said])
        store.commit(
            [AddRevision(memory_id=colour.memory_id, content=RevisionDraft(text="The favourite colour is black"))]
        )
        store.close()
        FOLDER.mkdir(exist_ok=True)
        shutil.copy(Path(base) / "palace" / FILE, FOLDER / f"palace-{MIGRATIONS[-1].name[:4]}.db")


if __name__ == "__main__":
    main()
