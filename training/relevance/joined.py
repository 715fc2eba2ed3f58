"""Fits what the words of a text and the learned reader say together, and the floor below which nothing is known.

    python -m training.relevance.joined OUT SCENARIOS...

OUT is the file that `fit` made (`src/palazzo/recall/rank/relevance.json`), SCENARIOS are files of bench/everyday.py.
Each scenario is told to a palace of its own, and each of its questions is asked there: a text with what is wanted
answers, and where silence is wanted none of those that come first does. A line through the features, what a text seems
to lack and the reader's logit tells the two apart. It is judged author by author, each by a line and a floor that the
others give; those of one author lie in files of one beginning ("fresh-4", "fresh-4-counted").
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bench.everyday import Palace
from numpy.typing import NDArray

import palazzo.recall.recall as recalling
from palazzo.recall.rank import relevance
from palazzo.recall.rank.pieces import PIECE_WORDS
from palazzo.recall.rank.relevance import FLOOR, LACKS, NAMES, Answering, Compared
from palazzo.text.words.parsed import parsed
from training.relevance.fit import line

Floats = NDArray[np.float64]
READ, AGAINST = 8, 3
"""Texts of a question that are read, and of a question without an answer those that are learned from."""
UNANSWERED = 1.5
"""What a text counts that answers nothing: there are few such questions."""
WRONG = 1.6
"""What an answer to a question that has none costs, where silence about one that has costs one."""
LIMIT = 1e-4
UNTOLD = [NAMES.index("length")]
"""What is not looked at: those who write scenarios tell more where there is something to find."""
LACKING, AT_MOST = [len(NAMES) + LACKS.index(lack) for lack in ("side", "owner")], (-6.2, -3.6)
"""What tells another side than is asked for, or of another owner, answers nothing, however sure the reader is: it
counts this at least."""
_PART = re.compile(r"-(?:counted|last)$")


class Asked(NamedTuple):
    """A question: its rows of figures, by the texts that were read, and which of them answer."""

    author: str
    rows: Floats
    right: NDArray[np.bool_]
    answerable: bool


class Listened:
    """What `relevance` reads of each question, whatever it would have left out."""

    def __init__(self) -> None:
        self.told: Sequence[Compared] = ()
        self.rows: Floats = np.zeros((0, 0))
        self.order: list[int] = []
        self._relevance = relevance.relevance
        recalling.relevance = self._asked  # type: ignore[assignment]
        relevance._read = self._read
        relevance.LOST = -np.inf  # type: ignore[misc]

    def _asked(self, words: Any, cue: str, told: Sequence[Compared], *others: Any) -> list[float]:
        if not self.order:
            self.told = told
        return self._relevance(words, cue, told, *others)

    def _read(self, best: Floats, parts: Sequence[tuple[str, str]], rows: Floats, answering: Answering) -> Floats:
        if not self.order:
            self.order = np.argsort(-best, kind="stable").tolist()[:READ]
            pairs = [[parsed(text).gloss for text in parts[row]] for row in self.order]
            said = answering([(asked, " ".join(text.split()[-PIECE_WORDS:])) for asked, text in pairs])
            sure = np.clip(np.array(said or [0.0] * len(pairs)), LIMIT, 1 - LIMIT)
            self.rows = np.column_stack([rows[self.order], np.log(sure / (1 - sure))])
            self.rows[:, UNTOLD] = 0
        return best


def asked(path: Path) -> Iterator[Asked]:
    listened = Listened()
    for scenario in json.loads(path.read_text("utf-8")):
        with tempfile.TemporaryDirectory() as folder:
            palace = Palace(Path(folder) / "palace", scenario)
            for one in scenario["ask"]:
                listened.order = []
                palace.memory.recall(one["q"], user_id=one.get("user"))
                texts = [listened.told[row].text for row in listened.order]
                right = np.array([any(re.search(want, text) for want in one["want_any"]) for text in texts], np.bool_)
                if texts and (one["abstain"] or right.any()):
                    yield Asked(_PART.sub("", path.stem), listened.rows, right, not one["abstain"])
            palace.memory.close()


def learned(found: Sequence[Asked]) -> tuple[Floats, float]:
    """The line through what is asked, and the logit below which nothing is known."""
    rows: list[Floats] = []
    labels: list[float] = []
    for one in found:
        if one.answerable:  # of several texts with what is wanted one may only mention it
            rows.append(one.rows[one.right][one.rows[one.right][:, -1].argmax()][None])
        else:
            rows.append(one.rows[np.argsort(-one.rows[:, -1])[:AGAINST]])
        labels += [float(one.answerable)] * len(rows[-1])
    told = np.array(labels)
    counts = line(np.concatenate(rows), told, np.where(told == 1, 1.0, UNANSWERED))
    counts[LACKING] = np.minimum(counts[LACKING], AT_MOST)
    yes, no = met(found, counts)
    tried = np.quantile(yes, np.arange(0.003, 0.08, 0.001))
    return counts, float(min(tried, key=lambda at: (yes < at).sum() + WRONG * (no >= at).sum()))


def met(found: Sequence[Asked], counts: Floats) -> tuple[Floats, Floats]:
    """The best logit of what answers each question that can be answered, and of anything for each of the others."""
    said = [(one, one.rows @ counts[:-1] + counts[-1]) for one in found]
    yes = [logits[one.right].max() for one, logits in said if one.answerable]
    return np.array(yes), np.array([logits.max() for one, logits in said if not one.answerable])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("scenarios", type=Path, nargs="+")
    options = parser.parse_args()
    found = [one for path in options.scenarios for one in asked(path)]
    for author in sorted({one.author for one in found}):
        counts, at = learned([one for one in found if one.author != author])
        yes, no = met([one for one in found if one.author == author], counts)
        told = {"answerable": len(yes), "silenced": int((yes < at).sum()), "unanswerable": len(no)}
        print(author, json.dumps({**told, "answered": int((no >= at).sum())}), flush=True)
    counts, at = learned(found)
    counts[-1] += np.log(FLOOR / (1 - FLOOR)) - at
    tables = json.loads(options.out.read_text("utf-8"))
    tables["read"] = np.round(counts, 4).tolist()
    print(dict(zip((*NAMES, *LACKS, "reader", "base"), tables["read"], strict=True)))
    options.out.write_text(json.dumps(tables) + "\n", "utf-8")


if __name__ == "__main__":
    main()
