"""Whether recall leans on tidy talk: the same questions over conversations that were made rougher.

    python -m bench.rough --data FILE [--embedder NAME|FOLDER] [--leave-out SIGNALS] [--questions N] --json

`as told` is the file. `broken` makes every sentence a message of its own, as people type, and counts as evidence the
one of a turn that shares most words with the question. `mixed` shuffles the turns within each session, so that what
stands before means nothing; `scattered` shuffles each speaker's turns over all sessions, so that these mean
nothing either. A signal that only helps where talk is tidy shows as a loss here.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench import locomo_file
from bench.common import machine, show
from bench.conversations import Conversation, Line, Question
from bench.retrieval import Asking, embedder_of, figures, run, sample
from palazzo.text.words.tokens import content_terms


def _with(talk: Conversation, lines: Sequence[Line], questions: Sequence[Question]) -> Conversation:
    known = {line.id: line.session for line in lines}
    return Conversation(talk.name, tuple(lines), tuple(questions), talk.now_us, known)


def _reseated(lines: Sequence[Line], groups: Sequence[str]) -> list[Line]:
    """The lines in the seats of other lines of their group."""
    rng = random.Random(3)
    made = list(lines)
    for group in dict.fromkeys(groups):
        seats = [row for row, name in enumerate(groups) if name == group]
        taken = rng.sample(seats, len(seats))
        for seat, source in zip(seats, taken, strict=True):
            made[seat] = replace(lines[source], session=lines[seat].session, at_us=lines[seat].at_us)
    return made


def mixed(talk: Conversation) -> Conversation:
    """Turns in no order within their sessions."""
    return _with(talk, _reseated(talk.lines, [line.session for line in talk.lines]), talk.questions)


def scattered(talk: Conversation) -> Conversation:
    """Turns in no order at all, each still its speaker's."""
    return _with(talk, _reseated(talk.lines, [line.speaker for line in talk.lines]), talk.questions)


def broken(talk: Conversation) -> Conversation:
    """Every sentence a message of its own."""
    lines: list[Line] = []
    parts: dict[str, list[Line]] = {}
    for line in talk.lines:
        sentences = [part for part in re.split(r"(?<=[.!?])\s+", line.text) if part.strip()]
        parts[line.id] = [
            replace(line, id=f"{line.id}#{number}", text=text, at_us=line.at_us + number * 10_000)
            for number, text in enumerate(sentences)
        ]
        lines += parts[line.id]

    def nearest(question: Question, gold: str) -> str:
        wanted = set(content_terms(question.text))
        return max(parts[gold], key=lambda one: (len(wanted & set(content_terms(one.text))), len(one.text))).id

    questions = [
        replace(asked, gold=frozenset(nearest(asked, gold) for gold in asked.gold if parts.get(gold)))
        for asked in talk.questions
    ]
    return _with(talk, lines, [asked for asked in questions if asked.gold])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="builtin")
    parser.add_argument("--leave-out", default="", help="signals to ignore, separated by commas")
    parser.add_argument("--questions", type=int, default=0, help="at most this many questions a conversation")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    told = sample(locomo_file.read(given.data), given.questions)
    how = Asking(embedder=embedder_of(given.embedder), leave_out=tuple(filter(None, given.leave_out.split(","))))
    ways = {"as told": told, "broken": [broken(one) for one in told], "mixed": [mixed(one) for one in told],
            "scattered": [scattered(one) for one in told]}  # fmt: skip
    found = {name: figures(run(talks, how)[0]) for name, talks in ways.items()}
    show({"embedder": given.embedder, "leave_out": given.leave_out, **found, "machine": machine()}, given.json)


if __name__ == "__main__":
    main()
