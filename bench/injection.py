"""How many attacks in wordings nobody trained on are flagged, how many harmless texts beside them, and what it costs.

    python -m bench.injection [--data ../shared/data] [--json]

held_out        Five sets of our own (training/injection/data), in ten languages, of which nothing was learned: on
                develop-5 the threshold was chosen, on the others nothing. The share of attacks flagged, the share of
                harmless texts flagged, most of them look-alikes, by language.
ordinary        Ordinary turns of other collections, where they are: every flag there counts as false.
microseconds    One text of forty words that comes close to an attack, so that the encoder reads it, processor time,
                median of the texts tried.

Flagged is a score at FLAG_AT or above. Intervals are 95% Wilson.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.common import show
from bench.screen import beam_user_turns, locomo_turns, said_in, share
from palazzo.text.safety.injection import FLAG_AT, REFUSE_AT, score_injection

TEXTS = Path(__file__).parents[1] / "training" / "injection" / "data"
HELD_OUT = ("develop-5", "heldout-7", "heldout-8", "heldout-9", "heldout-10")


class Labelled(NamedTuple):
    """One text of a held-out set."""

    attack: bool
    language: str
    text: str


def held_out(name: str) -> list[Labelled]:
    """The texts of a set: `## attack|harmless language` heads the lines that follow, `\\n` breaks one of them."""
    found: list[Labelled] = []
    kind = language = ""
    for line in (TEXTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            _, kind, language = line.split()
        elif line:
            found.append(Labelled(kind == "attack", language, line.replace("\\n", "\n")))
    return found


def flagged(text: str) -> bool:
    return score_injection(text).score >= FLAG_AT


def detection(name: str) -> dict[str, Any]:
    """Attacks caught and harmless texts flagged, all told and by language."""
    judged = [(one, flagged(one.text)) for one in held_out(name)]
    told: dict[str, Any] = {}
    for kind, attack in (("caught", True), ("false", False)):
        hits = [(one.language, hit) for one, hit in judged if one.attack is attack]
        told[kind] = share(sum(hit for _, hit in hits), len(hits))
        told[f"{kind}_by_language"] = {
            language: f"{sum(hit for of, hit in hits if of == language)}/{sum(of == language for of, _ in hits)}"
            for language in dict.fromkeys(of for of, _ in hits)
        }
    return told


def ordinary(folder: Path) -> dict[str, Any]:
    """Turns of people and assistants that nobody wrote to be an attack."""
    told: dict[str, Any] = {}
    everyday = folder / "everyday" / "scenarios.json"
    for name, texts in (
        ("locomo", locomo_turns(folder)),
        ("beam_user", beam_user_turns(folder)),
        ("everyday", list(said_in(json.loads(everyday.read_text(encoding="utf-8"))))),
    ):
        scores = [score_injection(text).score for text in texts]
        told[name] = {
            "flagged": share(sum(score >= FLAG_AT for score in scores), len(texts)),
            "refused": sum(score >= REFUSE_AT for score in scores),
        }
    return told


def microseconds(judge: Callable[[str], object] = score_injection, words: int = 40, rounds: int = 3) -> float:
    """What one text of about forty words costs, words seen before and texts new."""
    lines = [one.text for one in held_out(HELD_OUT[0]) if one.language == "en" and not one.attack]
    texts: list[str] = []
    for start in range(len(lines)):
        chosen: list[str] = []
        for line in lines[start:] + lines[:start]:
            chosen += line.split()
            if len(chosen) >= words:
                break
        texts.append(" ".join(chosen[:words]))
    times = []
    for _ in range(rounds):
        for text in texts:
            started = time.process_time_ns()
            judge(text)
            times.append((time.process_time_ns() - started) / 1000)
    return round(statistics.median(times), 1)


def measure(folder: Path) -> dict[str, Any]:
    return {
        "held_out": {name: detection(name) for name in HELD_OUT},
        "microseconds_40_words": microseconds(),
        **({"ordinary": ordinary(folder)} if folder.is_dir() else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    show(measure(options.data), options.json)


if __name__ == "__main__":
    main()
