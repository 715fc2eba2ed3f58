"""After an update, is the old value still among the first five hits for a question about the present?

    python -m bench.updates --data beam_100k [--embedder NAME|FOLDER] --json

BEAM's knowledge-update questions name the message with the original value and the one with the updated value. Counted:
the old message is not among the first five; the new one is; the new one ranks before the old one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.common import machine, show
from bench.conversations import beam, ingest
from bench.retrieval import Asking, ask, minilm_folder
from mnemon.bootstrap import create_engine
from mnemon.settings import Settings

ABILITY = "knowledge_update"
FIRST = 5


def labels(folder: Path) -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Conversation, question, old messages, new messages."""
    for path in sorted(folder.glob("*/probing_questions/probing_questions.json")):
        for item in json.loads(path.read_text("utf-8")).get(ABILITY, []):
            ids = item.get("source_chat_ids", {})
            if isinstance(ids, dict) and ids.get("original_info") and ids.get("updated_info"):
                old, new = ({str(n) for n in ids[key]} for key in ("original_info", "updated_info"))
                yield path.parent.parent.name, item["question"], old - new, new


def run(folder: Path, how: Asking) -> dict[str, Any]:
    """The three counts over every labelled question."""
    wanted = list(labels(folder))
    rows: list[tuple[bool, bool, bool]] = []
    for conversation in beam(folder):
        asked = {question: (old, new) for name, question, old, new in wanted if name == conversation.name}
        with tempfile.TemporaryDirectory() as inner:
            settings = Settings.of({"palace": str(Path(inner) / "palace"), "embedder": how.embedder, "durable": False})
            with create_engine(settings) as engine:
                ingest(engine, conversation)
                for question in conversation.questions:
                    if question.category != ABILITY or question.text not in asked:
                        continue
                    old, new = asked[question.text]
                    found = ask(engine, conversation, question, how).found
                    first_old = min((found.index(one) for one in old if one in found), default=len(found))
                    first_new = min((found.index(one) for one in new if one in found), default=len(found))
                    rows.append((first_old >= FIRST, first_new < FIRST, first_new < first_old))
    count = len(rows)
    shares = [round(sum(row[part] for row in rows) / count, 4) if count else 0.0 for part in range(3)]
    return {
        "n": count, "old_not_in_first_5": shares[0], "new_in_first_5": shares[1], "new_before_old": shares[2],
        "machine": machine(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="builtin")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    embedder = minilm_folder() if given.embedder == "minilm" else given.embedder
    show({"embedder": given.embedder} | run(given.data, Asking(embedder=embedder)), given.json)


if __name__ == "__main__":
    main()
