"""Makes the files of the built-in embedder out of those of the package `wordllama`.

    python -m scripts.wordllama WEIGHTS TOKENIZER

WEIGHTS is its l2_supercat_256.safetensors (float16), TOKENIZER its l2_supercat_tokenizer_config.json. A token's vector
becomes bytes with one step, half the size at a cosine of 0.9999 and more; the tokenizer is pressed, and its vocabulary
lies beside it with a token a line, which a cold start reads in half the time.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np

from palazzo.adapters import wordllama_embedder as made
from palazzo.adapters.model_files import SafetensorsFile


def weights(of: Path) -> bytes:
    """The table as bytes, and the step of each row, in the format of safetensors."""
    table = SafetensorsFile(of, part="wordllama").float32("embedding.weight")
    steps = (np.abs(table).max(axis=1) / 127).astype("<f4")
    rows = np.rint(table / steps[:, None]).astype("|i1")
    header = {
        made.TABLE: {"dtype": "I8", "shape": rows.shape, "data_offsets": (0, rows.nbytes)},
        made.STEPS: {"dtype": "F32", "shape": steps.shape, "data_offsets": (rows.nbytes, rows.nbytes + steps.nbytes)},
    }
    told = json.dumps(header).encode()
    told = told.ljust(-(-len(told) // 8) * 8)
    return len(told).to_bytes(8, "little") + told + rows.tobytes() + steps.tobytes()


def main(weights_file: Path, tokenizer_file: Path) -> None:
    """Writes the three files."""
    raw = weights(weights_file)
    told = tokenizer_file.read_bytes()
    numbers: dict[str, int] = json.loads(told)["model"]["vocab"]
    (made.FOLDER / made.WEIGHTS).write_bytes(raw)
    (made.FOLDER / made.TOKENIZER).write_bytes(gzip.compress(told, 9, mtime=0))
    (made.FOLDER / made.VOCABULARY).write_bytes("\n".join(sorted(numbers, key=numbers.__getitem__)).encode())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
