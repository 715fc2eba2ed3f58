"""What the benchmarks share: synthetic text and vectors, percentiles, the machine's class, printing results."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

import palazzo
from palazzo import __version__

VOCABULARY = 50_000


class Corpus:
    """Texts of 12-40 words (25 on average) from a Zipf vocabulary, and clustered unit vectors; reproducible.

    Every seed has the same words and the same clusters: a question from another seed is about what the palace holds.
    """

    def __init__(self, seed: int = 7, dimensions: int = 384) -> None:
        self._random = np.random.default_rng(seed)
        ranks = np.arange(1, VOCABULARY + 1)
        weights = 1.0 / ranks**1.05
        self._cumulative = np.cumsum(weights / weights.sum())
        self.words = [_word(n) for n in range(VOCABULARY)]
        self._centres = np.random.default_rng(512).normal(size=(512, dimensions)).astype(np.float32)

    def texts(self, count: int) -> list[str]:
        lengths = self._random.integers(12, 41, count)
        lengths = np.maximum(12, (lengths * 25 / 26).astype(int))
        picks = np.searchsorted(self._cumulative, self._random.random(int(lengths.sum())))
        found, at = [], 0
        for length in lengths:
            found.append(" ".join(self.words[n] for n in picks[at : at + length]))
            at += length
        return found

    def vectors(self, count: int) -> NDArray[np.float32]:
        centres = self._centres[self._random.integers(0, len(self._centres), count)]
        noise = self._random.normal(scale=0.6, size=centres.shape).astype(np.float32)
        made = centres + noise
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def rare_words(self, count: int) -> list[str]:
        """Words of the vocabulary's tail: a few dozen occurrences in a million texts."""
        return [self.words[n] for n in self._random.integers(5_000, VOCABULARY, count)]

    def question(self) -> str:
        """A natural question's shape: three very common words and three of middling frequency."""
        common = [self.words[n] for n in self._random.integers(0, 4, 3)]
        middling = [self.words[n] for n in self._random.integers(200, 5_000, 3)]
        return " ".join(common + middling)


def _word(n: int) -> str:
    syllables = ("ba", "ke", "di", "lo", "mu", "ra", "se", "ti", "no", "vu", "pa", "ge", "hi", "jo", "fy", "za")
    parts = []
    while True:
        parts.append(syllables[n % 16])
        n //= 16
        if n == 0:
            return "".join(parts) + "x"


def batches(total: int, size: int) -> Iterator[int]:
    """Batch sizes that add up to `total`."""
    for start in range(0, total, size):
        yield min(size, total - start)


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """p50, p99 and count, in milliseconds."""
    values = np.asarray(seconds) * 1000
    return {
        "p50_ms": round(float(np.percentile(values, 50)), 3),
        "p99_ms": round(float(np.percentile(values, 99)), 3),
        "n": len(values),
    }


@cache
def code() -> str:
    """A short digest of Palazzo's source files: two results with the same one measured the same program."""
    root = Path(palazzo.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]


def machine() -> dict[str, Any]:
    """The class of machine, so that figures can be compared like with like."""
    memory_gb = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    return {
        "cores": os.cpu_count(), "memory_gb": memory_gb, "python": platform.python_version(),
        "system": platform.system(),
    }  # fmt: skip


def rss_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def own_mb() -> float:
    """Resident memory of this process that is no page of a file: those are the system's cache and given back."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return round((int(told["VmRSS"].split()[0]) - int(told["RssFile"].split()[0])) / 1e3, 1)


def last_line(command: Sequence[str], progress: TextIO = sys.stderr) -> str:
    """The last line a command printed; lines of progress, which begin with #, are passed on as they come.

    Raises: RuntimeError with the last line of its complaint.
    """
    last = ""
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            for line in process.stdout or ():
                if line.startswith("#"):
                    print(line, end="", file=progress, flush=True)
                else:
                    last = line.strip() or last
        if process.returncode != 0 or not last:
            errors.seek(0)
            raise RuntimeError((errors.read().strip().splitlines() or ["it printed nothing"])[-1])
    return last


def command_line() -> str:
    """The command this process was started with, as a reader would give it: no machine's folders in it."""
    spec = sys.modules["__main__"].__spec__
    return f"python -m {placeless([spec.name if spec else 'bench', *sys.argv[1:]])}"


def placeless(words: Sequence[str]) -> str:
    """The words of a command without `--folder` and with no machine's paths."""
    kept, skip = [], False
    for word in words:
        if skip or word == "--folder":
            skip = not skip
        else:
            kept.append(_short(word) if "/" in word else word)
    return " ".join(kept)


def _short(path: str) -> str:
    """A path under the folder of data as DATA/..., any other by its last part."""
    parts = Path(path).parts
    return "/".join(("DATA", *parts[parts.index("data") + 1 :])) if "data" in parts else parts[-1]


def show(result: dict[str, Any], as_json: bool) -> None:
    """Prints a result: one JSON object with the command and the day that made it, or lines for people."""
    if as_json:
        today = datetime.now(UTC).date().isoformat()
        made = {"command": command_line(), "on": today, "palazzo": __version__, "code": code(), **machine()}
        print(json.dumps({**result, "made": made}))
        return
    for name, value in result.items():
        print(f"{name:28} {value}", file=sys.stdout)
