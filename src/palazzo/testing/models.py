"""Models with known behaviour: embedders that hash words or fail when told to, a completer that answers from a script,
a reranker that scores by a function, and small random models in the sentence-transformers layout.

Invariant: a text's vector is the same in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from palazzo.adapters.completion import find_fault
from palazzo.errors import PalazzoError, PartUnavailable
from palazzo.ports import CompletionReply, CompletionRequest, JsonValue

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from palazzo.ports import Embedder, Vector, Vectors


_WORD = re.compile(r"\w+")


class HashEmbedder:
    """A bag of words: each word adds to the dimension its hash names, so shared words make texts similar."""

    def __init__(self, dimensions: int = 64, *, name: str | None = None) -> None:
        self._dimensions = dimensions
        self._name = name or f"hash-{dimensions}"

    @property
    def name(self) -> str:
        """The name given, else one that tells the length."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text, zeros for a blank one."""
        import numpy as np

        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _words(text):
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                row[int.from_bytes(digest, "big") % self._dimensions] += 1.0
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        lengths[lengths == 0.0] = 1.0
        unit: Vectors = rows / lengths[:, None]
        return unit

    def embed_query(self, text: str) -> Vector:
        """The same as a row of `embed`."""
        row: Vector = self.embed((text,))[0]
        return row


class FailingEmbedder:
    """Wraps an embedder; while `failing` is true every request raises PartUnavailable. Counts requests."""

    def __init__(self, inner: Embedder | None = None, *, failing: bool = True) -> None:
        self._inner: Embedder = inner if inner is not None else HashEmbedder()
        self.failing = failing
        self.requests = 0

    @property
    def name(self) -> str:
        """The wrapped embedder's name: the space is the same, only the part is down."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The wrapped embedder's length."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The wrapped embedder's rows.

        Raises: PartUnavailable while failing.
        """
        self._count()
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vector:
        """The wrapped embedder's vector.

        Raises: PartUnavailable while failing.
        """
        self._count()
        return self._inner.embed_query(text)

    def _count(self) -> None:
        self.requests += 1
        if self.failing:
            raise PartUnavailable("the embedder was told to fail", part=self.name)


def _words(text: str) -> list[str]:
    if not text or text.isspace():
        return []
    # A text of signs alone still has a direction: the port promises a unit row for whatever is not blank.
    return _WORD.findall(text.casefold()) or [text]


class ScriptedReranker:
    """Scores every text with a function of query and text and remembers what it was asked."""

    name = "scripted"

    def __init__(self, score: Callable[[str, str], float] | None) -> None:
        """Without a function every call fails."""
        self._score = score
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Vector:
        """One score per text.

        Raises: PartUnavailable.
        """
        import numpy as np

        self.asked.append((query, tuple(texts)))
        if self._score is None:
            raise PartUnavailable("the reranker is away", part="reranker scripted")
        return np.array([self._score(query, text) for text in texts], np.float32)


Scripted: TypeAlias = "JsonValue | PalazzoError | Callable[[CompletionRequest], JsonValue]"


class ScriptedCompleter:
    """Gives one scripted reply per request: a value, an error to raise, or a function of the request."""

    def __init__(self, replies: Iterable[Scripted] = (), *, name: str = "scripted") -> None:
        self._replies = list(replies)
        self._name = name
        self.requests: list[CompletionRequest] = []

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def remaining(self) -> int:
        """Replies not yet given; a finished test leaves none."""
        return len(self._replies)

    def complete(self, request: CompletionRequest) -> CompletionReply:
        """The next reply of the script.

        Raises: the scripted error; AssertionError if the script has ended or the reply does not fit.
        """
        self.requests.append(request)
        if not self._replies:
            raise AssertionError(f"no reply is scripted for request {len(self.requests)}: {request.purpose}")
        reply = self._replies.pop(0)
        if isinstance(reply, PalazzoError):
            raise reply
        value = reply(request) if callable(reply) else reply
        fault = find_fault(value, request.schema)
        if fault is not None:
            raise AssertionError(f"the scripted reply to {request.purpose} does not fit its schema: {fault}")
        return CompletionReply(value=value, model=self._name)


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
