"""Small random models in the sentence-transformers layout, the same in every process and on every machine."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "a", "cat", "dog", "house", "tree", "river", "boat"),
    *("goes", "to", "sleep", "##s", "##ing", "walk", "under", "old", "new", "query", "passage", ":", "!", ".", "##e"),
)
HIDDEN = 32
LAYERS = 2
HEADS = 4
WIDE = 64
POSITIONS = 40


def write_safetensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of float64, float32, float16, uint16 (as BF16) or int64."""
    kinds = {"<f8": "F64", "<f4": "F32", "<f2": "F16", "<u2": "BF16", "<i8": "I64"}
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {
            "dtype": kinds[array.dtype.str],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def bert_tensors(seed: int = 0, *, prefix: str = "") -> dict[str, NDArray[Any]]:
    """Random weights of a BERT of the module's sizes, under the names that checkpoints use."""
    import numpy as np

    random = np.random.default_rng(seed)

    def drawn(*shape: int, centre: float = 0.0) -> NDArray[Any]:
        return (centre + random.normal(0.0, 0.3, shape)).astype(np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": drawn(len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": drawn(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": drawn(2, HIDDEN),
        "embeddings.LayerNorm.weight": drawn(HIDDEN, centre=1.0),
        "embeddings.LayerNorm.bias": drawn(HIDDEN),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            tensors[f"{layer}.{name}.weight"] = drawn(HIDDEN, HIDDEN)
            tensors[f"{layer}.{name}.bias"] = drawn(HIDDEN)
        tensors[f"{layer}.intermediate.dense.weight"] = drawn(WIDE, HIDDEN)
        tensors[f"{layer}.intermediate.dense.bias"] = drawn(WIDE)
        tensors[f"{layer}.output.dense.weight"] = drawn(HIDDEN, WIDE)
        tensors[f"{layer}.output.dense.bias"] = drawn(HIDDEN)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors[f"{layer}.{name}.weight"] = drawn(HIDDEN, centre=1.0)
            tensors[f"{layer}.{name}.bias"] = drawn(HIDDEN)
    return {prefix + name: tensor for name, tensor in tensors.items()}


def bert_config(**changes: object) -> dict[str, object]:
    """The config.json of such a BERT."""
    return {
        "model_type": "bert",
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": WIDE,
        "max_position_embeddings": POSITIONS,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
        "type_vocab_size": 2,
        "vocab_size": len(WORDS),
        **changes,
    }


def write_model_folder(folder: Path, seed: int = 0) -> Path:
    """Write a complete folder (vocab.txt, mean pooling, at most 16 tokens) and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_safetensors(folder / "model.safetensors", bert_tensors(seed))
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    write_json(folder / "config.json", bert_config())
    write_json(folder / "modules.json", modules)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": False})
    write_json(folder / "tokenizer_config.json", {"do_lower_case": True})
    write_json(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
    )
    return folder


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
