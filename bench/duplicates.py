"""How often deduplication merges what differs, and misses what is the same.

Builds labelled pairs from the sentences of the development data; nothing of it is stored. For each sentence:
  near-exact (must be found): case, punctuation, white space, filler and contraction variants;
  near-miss (must be kept apart): one number, name, negation, date, direction or opposite changed.
Also counts the pairs of the data itself that reach the threshold and would merge (no labels; --show natural).
A pair counts as merged when the normal forms or the wording keys are equal, or when the WordLlama cosine
reaches 0.85 and `near_duplicate` does not say "different" (from 0.95 skipped, below that merged or skipped).
Usage: python bench/duplicates.py [--data FOLDER] [--json] [--per-source N] [--seed N] [--show KIND]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from palazzo.adapters.model_files import load_tokenizer
from palazzo.adapters.wordllama_embedder import FOLDER, STEPS, TABLE, TOKENIZER, WEIGHTS
from palazzo.text.words.cues import CITIES, FIRST_NAMES
from palazzo.text.words.similarity import near_duplicate, wording_key
from palazzo.text.words.tokens import content_hash

Vector = np.ndarray[Any, np.dtype[np.float32]]
Change = Callable[[str, random.Random], str | None]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = ["January", "February", "March", "April", "June", "July", "August", "September", "October"]
_RELATIVE = ["yesterday", "today", "tomorrow"]
_NUMBER_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"]
_OPPOSITES = dict(
    pair
    for a, b in (
        ("love", "hate"), ("loves", "hates"), ("good", "bad"), ("great", "terrible"),
        ("happy", "sad"), ("hot", "cold"), ("always", "never"), ("before", "after"), ("more", "less"),
        ("increase", "decrease"), ("increased", "decreased"), ("start", "stop"), ("started", "stopped"),
        ("won", "lost"), ("open", "closed"), ("left", "right"), ("up", "down"), ("with", "without"),
        ("early", "late"), ("easy", "hard"), ("first", "last"), ("buy", "sell"), ("bought", "sold"),
        ("can", "cannot"), ("all", "some"), ("improved", "worsened"), ("positive", "negative"),
        ("enable", "disable"), ("allow", "forbid"), ("higher", "lower"), ("best", "worst"),
    )
    for pair in ((a, b), (b, a))
)  # fmt: skip
# Openings of turns that add nothing, about as often as people use them.
_LEADS = [
    *["Yeah, "] * 10, *["Wow, "] * 10, *["So, "] * 6, *["Absolutely, "] * 5, *["Hmm, "] * 5, *["Sure, "] * 5,
    *["Yes, "] * 4, *["Now, "] * 3, "Additionally, ", "Interestingly, ", "Plus, ", "By the way, ", "By the way, ",
    "Yep, ", "Also, ", "Oh, ", "Oh, ", "On another note, ", "Ok cool, ", "Furthermore, ", "Thanks, ", "Woah, ",
    "Yup, ", "Indeed, ", "Definitely, ", "Well, ", "Well, ", "Aww, ", "Btw, ", "Hey, ", "Hey, ", "Cool, ", "Anyway, ",
    "Exactly, ", "Of course, ", "Oh yeah, ", "Whoa, ", "Oh man, ", "Thankfully, ", "Anyways, ", "Mmm, ", "Agreed, ",
    "You're right, ", "On a related note, ", "Speaking of which, ", "Oof, ", "Actually, ", "Um, ", "You know, ",
]  # fmt: skip
# Idioms people use now and then. The product's lists were written knowing these, so the row shows coverage, not
# generalisation: twelve idioms outside the lists were kept apart in 78% of 4,800 pairs, which errs on the safe side.
_RARE_LEADS = [
    "To tell the truth, ", "As it happens, ", "Believe it or not, ", "For what it's worth, ", "Truth be told, ",
    "Guess what, ", "Listen, ", "Frankly, ", "Between you and me, ", "Just to be clear, ", "Okay so, ", "Right then, ",
    "You won't believe this, ", "As I said before, ", "Real talk, ", "No kidding, ", "Come to think of it, ",
    "Mind you, ", "All things considered, ", "Funnily enough, ", "Long story short, ",
]  # fmt: skip
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|am|can|will|would|should|could|do|does|did|has|have|had|must)\b(?! not|n't)"
)


def _swap_word(text: str, choices: list[str], rng: random.Random) -> str | None:
    found = [m for m in re.finditer(r"\b\w+\b", text) if m.group() in choices]
    if not found:
        return None
    match = rng.choice(found)
    other = rng.choice([choice for choice in choices if choice != match.group()])
    return text[: match.start()] + other + text[match.end() :]


def _number(text: str, rng: random.Random) -> str | None:
    found = list(re.finditer(r"\d+", text))
    if not found:
        return _swap_word(text, _NUMBER_WORDS, rng)
    match = rng.choice(found)
    changed = str(int(match.group()) + rng.choice((1, 2, 7, 10)))
    return text[: match.start()] + changed + text[match.end() :]


def _name(text: str, rng: random.Random) -> str | None:
    found = []
    for match in re.finditer(r"\b[A-Z][a-z]+\b", text):
        for names in (FIRST_NAMES, CITIES):
            if match.group().lower() in names:
                found.append((match, names))
    if not found:
        return None
    match, names = rng.choice(found)
    single = sorted(name for name in names if " " not in name and name != match.group().lower())
    return text[: match.start()] + rng.choice(single).capitalize() + text[match.end() :]


def _negation(text: str, rng: random.Random) -> str | None:
    negated = re.search(r"n't\b| not\b| never\b", text)
    if negated and rng.random() < 0.5:
        return text[: negated.start()] + text[negated.end() :]
    found = list(_AUXILIARY.finditer(text))
    if found:
        match = rng.choice(found)
        return f"{text[: match.end()]} not{text[match.end() :]}"
    match2 = re.search(r"\b(I|we|they|you) (?=[a-z]+\b)", text)
    return f"{text[: match2.end()]}don't {text[match2.end() :]}" if match2 else None


def _date(text: str, rng: random.Random) -> str | None:
    for choices in (_DAYS, _MONTHS, _RELATIVE):
        changed = _swap_word(text, choices, rng)
        if changed:
            return changed
    if re.search(r"\blast (week|month|year)\b", text):
        return re.sub(r"\blast (week|month|year)\b", r"next \1", text, count=1)
    year = re.search(r"\b(?:19|20)\d\d\b", text)
    return f"{text[: year.start()]}{int(year.group()) + 1}{text[year.end() :]}" if year else None


def _direction(text: str, _rng: random.Random) -> str | None:
    match = re.search(r"\bfrom (\w+) to (\w+)\b", text)
    if match and match[1] != match[2]:
        return f"{text[: match.start()]}from {match[2]} to {match[1]}{text[match.end() :]}"
    names = list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", text))
    if len(names) >= 2 and names[0].group() != names[-1].group():
        a, b = names[0], names[-1]
        return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]
    return None


def _opposite(text: str, rng: random.Random) -> str | None:
    found = [m for m in re.finditer(r"\b\w+\b", text) if m.group() in _OPPOSITES]
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + _OPPOSITES[match.group()] + text[match.end() :]


def _case(text: str, rng: random.Random) -> str | None:
    return rng.choice((text.lower(), text.upper(), text.title()))


def _punctuation(text: str, rng: random.Random) -> str | None:
    if text.rstrip().endswith("?"):
        return text.replace("'", "’")
    return rng.choice(
        (
            text.rstrip(".!"),
            text.rstrip(".!") + "!!",
            text.replace(",", ""),
            text.replace("'", "’"),
            f'"{text}"',
        )
    )


def _white_space(text: str, rng: random.Random) -> str | None:
    return rng.choice((text.replace(" ", "  "), f"  {text}\n", text.replace(" ", "\n", 1), f"\t{text}\u00a0"))


def _filler(text: str, rng: random.Random) -> str | None:
    lead = rng.choice(_LEADS)
    head = text if re.match(r"I\b|I'", text) or text[:1].isupper() else text[:1].lower() + text[1:]
    return lead + head


def _rare_filler(text: str, rng: random.Random) -> str | None:
    return rng.choice(_RARE_LEADS) + text


def _contraction(text: str, _rng: random.Random) -> str | None:
    for short, long in (
        ("I'm", "I am"), ("don't", "do not"), ("it's", "it is"), ("can't", "can not"), ("I've", "I have"),
        ("we're", "we are"), ("didn't", "did not"), ("I'll", "I will"), ("doesn't", "does not"),
    ):  # fmt: skip
        for a, b in ((short, long), (long, short)):
            if re.search(rf"\b{a}\b", text):
                return re.sub(rf"\b{a}\b", b, text)
    return None


NEAR_EXACT: dict[str, Change] = {
    "case": _case,
    "punctuation": _punctuation,
    "white space": _white_space,
    "filler": _filler,
    "rare filler": _rare_filler,
    "contraction": _contraction,
}
NEAR_MISS: dict[str, Change] = {
    "number": _number,
    "name": _name,
    "negation": _negation,
    "date": _date,
    "direction": _direction,
    "opposite": _opposite,
}


class Embedder:
    """The weights of WordLlama, averaged; read directly because its own loader wants a download."""

    def __init__(self) -> None:
        from safetensors.numpy import load_file

        weights = load_file(FOLDER / WEIGHTS)
        self._weights = weights[TABLE] * weights[STEPS][:, None]
        self._tokenizer = load_tokenizer(FOLDER / TOKENIZER, part="bench")

    def vector(self, text: str) -> Vector:
        mean = self._weights[self._tokenizer.encode(text, add_special_tokens=False).ids].mean(axis=0)
        return np.asarray(mean / (np.linalg.norm(mean) + 1e-9), dtype=np.float32)

    def cosine(self, a: str, b: str) -> float:
        return float(self.vector(a) @ self.vector(b))


def decide(a: str, b: str, cosine: float) -> str:
    """What intake would do with `b` when `a` is stored: skip, merge or keep."""
    if content_hash(a) == content_hash(b) or wording_key(a) == wording_key(b):
        return "skip"
    if cosine < 0.85 or near_duplicate(a, b) == "different":
        return "keep"
    return "skip" if cosine >= 0.95 else "merge"


def _strings(value: Any, keys: frozenset[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in keys and isinstance(inner, str):
                yield inner
            else:
                yield from _strings(inner, keys)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, keys)


def sentences(data: Path) -> dict[str, list[str]]:
    """Distinct sentences of 4 to 40 words per source."""
    sources = {
        "locomo": (sorted(data.glob("locomo/locomo*.json")), frozenset({"text"})),
        "halumem": (sorted(data.glob("halumem/*.jsonl")), frozenset({"memory_content", "content"})),
        "beam": (sorted(data.glob("beam_100k/*/chat.json")), frozenset({"content"})),
        "automemorybench": (
            sorted(data.glob("automemorybench/data/*/shards/*.json")),
            frozenset({"content", "text"}),
        ),
        "devmembench": (sorted(data.glob("devmembench/**/sessions.json")), frozenset({"content"})),
    }
    found: dict[str, list[str]] = {}
    for name, (paths, keys) in sources.items():
        unique: dict[str, None] = {}
        for path in paths:
            lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
            for line in lines:
                for text in _strings(json.loads(line), keys):
                    for part in re.split(r"(?<=[.!?])\s+|\n+", text):
                        if 4 <= len(part.split()) <= 40 and re.search(r"[a-z]{3}", part):
                            unique[part.strip()] = None
        found[name] = list(unique)
    return found


def interval(hits: int, total: int) -> tuple[float, float]:
    """Wilson 95% interval of a share."""
    if not total:
        return (0.0, 1.0)
    share, z = hits / total, 1.96
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return (max(0.0, centre - half), min(1.0, centre + half))


def natural(texts: list[str], embedder: Embedder, show: bool) -> tuple[int, int]:
    """Pairs of a source that reach 0.85 by themselves, and how many of them would merge; unlabelled."""
    vectors = np.stack([embedder.vector(text) for text in texts])
    close = merged = 0
    for at in range(len(texts) - 1):
        cosines = vectors[at + 1 :] @ vectors[at]
        for offset in np.flatnonzero(cosines >= 0.85):
            other = texts[at + 1 + int(offset)]
            close += 1
            if decide(texts[at], other, float(cosines[offset])) != "keep":
                merged += 1
                if show:
                    print(f"[natural] {cosines[offset]:.3f}: {texts[at]} | {other}")
    return close, merged


def measure(data: Path, per_source: int, seed: int, show: str) -> dict[str, Any]:
    rng = random.Random(seed)
    embedder = Embedder()
    counts: Counter[tuple[str, str]] = Counter()
    close = merged = 0
    for texts in sentences(data).values():
        some = rng.sample(texts, min(3000, len(texts)))
        pairs = natural(some, embedder, show == "natural")
        close, merged = close + pairs[0], merged + pairs[1]
        for text in rng.sample(texts, min(per_source, len(texts))):
            for label, changes in (("near-exact", NEAR_EXACT), ("near-miss", NEAR_MISS)):
                for kind, change in changes.items():
                    changed = change(text, rng)
                    if changed is None or changed == text:
                        continue
                    decision = decide(text, changed, embedder.cosine(text, changed))
                    counts[kind, decision] += 1
                    mistaken = (decision == "keep") == (label == "near-exact")
                    if mistaken and show in (kind, label):
                        print(f"[{kind}] {decision}: {text} | {changed}")
    report: dict[str, Any] = {"natural": {"pairs": close, "merged": merged}}
    for label, changes in (("near-exact", NEAR_EXACT), ("near-miss", NEAR_MISS)):
        rows = {}
        for kind in [*changes, "all"]:
            kinds = list(changes) if kind == "all" else [kind]
            kept = sum(counts[k, "keep"] for k in kinds)
            total = kept + sum(counts[k, d] for k in kinds for d in ("skip", "merge"))
            wrong = kept if label == "near-exact" else total - kept
            rows[kind] = {"pairs": total, "wrong": wrong, "share": wrong / total if total else 0.0,
                          "interval": interval(wrong, total)}  # fmt: skip
        report[label] = rows
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--per-source", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="", help="print wrong decisions of one kind")
    options = parser.parse_args()
    report = measure(options.data, options.per_source, options.seed, options.show)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    found = report["natural"]
    print(f"pairs of the data itself at 0.85 or more: {found['pairs']}, merged {found['merged']}")
    for label, title in (("near-exact", "missed duplicates"), ("near-miss", "false merges")):
        print(f"{title} ({label} pairs)")
        for kind, row in report[label].items():
            low, high = row["interval"]
            share = f"{row['share']:7.2%}  [{low:.2%}, {high:.2%}]"
            print(f"  {kind:12} {row['wrong']:5} of {row['pairs']:6}  {share}")


if __name__ == "__main__":
    main()
