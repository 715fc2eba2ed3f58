"""An embedder from a sentence-transformers folder on disk: better vectors than the built-in one, no network, no torch.

Owns the layout of the folder (config.json, modules.json, 1_Pooling/config.json, sentence_bert_config.json, tokenizer
files, weights) and the way from text to a unit vector (prompt, tokens, encoder, pooling, normalising); the arithmetic
is `bert`'s or `onnx_encoder`'s. onnxruntime is used when it is installed and the folder has an export, numpy otherwise;
both give the same vectors, so the name does not say which. Invariant: whatever would change the vectors and is not
understood here is an error, never a guess; and `fingerprint` differs whenever the vectors would.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast

from palazzo.adapters.bert import BertEncoder, first_position
from palazzo.adapters.model_files import SafetensorsFile, encode, load_tokenizer, load_word_pieces
from palazzo.adapters.onnx_encoder import OnnxEncoder, onnxruntime_is_installed
from palazzo.errors import PartUnavailable
from palazzo.files.forks import Lazy

if TYPE_CHECKING:
    from palazzo.ports import Vector, Vectors

Backend: TypeAlias = Literal["auto", "numpy", "onnx"]


class _Encoder(Protocol):
    def states(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[int, Vectors]]: ...


class _Model(NamedTuple):
    found: ModelFolder
    tokenizer: Any
    encoder: _Encoder


class LocalEmbedder:
    """Embeds with the model in `folder`; texts beyond the model's length are cut at it."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str | None = None,
        backend: Backend = "auto",
        pooling: Pooling | None = None,
        onnx_file: str | None = None,
    ) -> None:
        """Remember where the model is; nothing is read before the first use.

        `name` replaces the folder's name in the space's name. `pooling` is needed only where the folder does
        not say it. `onnx_file` picks an export that holds other weights than the folder's, a quantised one
        for instance.
        """
        self._folder = folder
        self._given_name = name
        self._backend = backend
        self._part = f"local embedder {name or folder.name}"
        self._found = Lazy(lambda: read_model_folder(folder, part=self._part, pooling=pooling, onnx_file=onnx_file))
        self._name = Lazy(self._make_name)
        # An onnxruntime session does not outlive a fork; the numpy weights would, and mapping them again is
        # cheap.
        self._model = Lazy(self._load, per_process=True)

    @property
    def name(self) -> str:
        """The folder's name and a fingerprint of the model in it.

        Raises: PartUnavailable.
        """
        return self._name.get()

    @property
    def dimensions(self) -> int:
        """Length of the vectors, from config.json.

        Raises: PartUnavailable.
        """
        return self._found.get().dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit row per text.

        Raises: PartUnavailable.
        """
        return self._embed(texts, self._found.get().text_prompt)

    def embed_query(self, text: str) -> Vector:
        """A unit vector, with the model's query prompt if it has one.

        Raises: PartUnavailable.
        """
        row: Vector = self._embed((text,), self._found.get().query_prompt)[0]
        return row

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        import numpy as np

        model = self._model.get()
        rows = np.zeros((len(texts), model.found.dimensions), dtype=np.float32)
        kept, encodings = _tokens(model, texts, prompt)
        for position, states in model.encoder.states([encoding.ids for encoding in encodings]):
            rows[kept[position]] = _pool(states, model.found.pooling)
        return _normalised(rows)

    def _make_name(self) -> str:
        found = self._found.get()
        return f"{self._given_name or self._folder.name}-{found.dimensions}-{found.fingerprint()}"

    def _load(self) -> _Model:
        found = self._found.get()
        part = self._part
        if found.tokenizer.suffix == ".json":
            tokenizer = load_tokenizer(found.tokenizer, part=part, max_tokens=found.max_tokens)
        else:
            tokenizer = load_word_pieces(
                found.tokenizer,
                part=part,
                lowercase=lowercases(found.folder, part),
                max_tokens=found.max_tokens,
            )
        if self._uses_onnx(found):
            if found.onnx is None:
                raise PartUnavailable(f"the model folder {found.folder.name} has no ONNX file", part=part)
            return _Model(found, tokenizer, OnnxEncoder(found.onnx, part=part))
        if found.weights is None:
            raise PartUnavailable(
                f"the model folder {found.folder.name} has no model.safetensors for numpy to run",
                part=part,
                hint="pip install onnxruntime tokenizers to run its ONNX file",
            )
        encoder = BertEncoder(found.config, SafetensorsFile(found.weights, part=part), part=part)
        if tokenizer.get_vocab_size() > encoder.vocabulary_size:
            raise PartUnavailable("the tokenizer has more tokens than the model", part=part)
        if found.max_tokens > encoder.longest_sequence:
            raise PartUnavailable(
                f"the folder promises {found.max_tokens} tokens, the model takes {encoder.longest_sequence}",
                part=part,
            )
        return _Model(found, tokenizer, encoder)

    def _uses_onnx(self, found: ModelFolder) -> bool:
        if self._backend == "auto":
            return found.onnx is not None and onnxruntime_is_installed()
        return self._backend == "onnx"


def _tokens(model: _Model, texts: Sequence[str], prompt: str) -> tuple[list[int], list[Any]]:
    """Positions of the texts that are not blank, and their encodings."""
    kept = [position for position, text in enumerate(texts) if text and not text.isspace()]
    encodings = []
    for position in kept:
        text = prompt + texts[position]
        encodings.append(encode(model.tokenizer, text.lower() if model.found.lowercase else text))
    return kept, encodings


def _pool(states: Vectors, pooling: Pooling) -> Vector:
    pooled: Vector
    if pooling == "cls":
        pooled = states[0]
    elif pooling == "last":
        pooled = states[-1]
    else:
        pooled = states.max(axis=0) if pooling == "max" else states.mean(axis=0)
    return pooled


def _normalised(rows: Vectors) -> Vectors:
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    unit: Vectors = rows / lengths[:, None]
    return unit


Pooling: TypeAlias = Literal["mean", "cls", "max", "last"]

# Mean over the square root of the length points where the mean points, and only the direction is kept.
_POOLING_FLAGS: Mapping[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_POOLING_NAMES: Mapping[str, Pooling] = {
    "mean": "mean", "mean_sqrt_len_tokens": "mean", "cls": "cls", "max": "max", "lasttoken": "last",
}  # fmt: skip
_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
_ONNX_FILES = (Path("onnx") / "model.onnx", Path("model.onnx"))
_SAMPLES = 64
_SAMPLE_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model folder as found; paths are None where the file is not there."""

    folder: Path
    part: str
    config: Mapping[str, object] = field(repr=False)
    dimensions: int
    pooling: Pooling
    max_tokens: int
    lowercase: bool
    text_prompt: str
    query_prompt: str
    tokenizer: Path
    weights: Path | None
    onnx: Path | None

    def fingerprint(self) -> str:
        """Eight hex digits over everything that shapes the vectors; weights are sampled, not read whole."""
        digest = hashlib.sha256()
        shape = [
            self.dimensions,
            self.pooling,
            self.max_tokens,
            self.lowercase,
            self.text_prompt,
            self.query_prompt,
        ]
        digest.update(json.dumps([shape, self.config], sort_keys=True).encode())
        for path in (self.tokenizer, self.weights or self.onnx):
            if path is not None:
                _sample(path, digest)
        return digest.hexdigest()[:8]


def read_model_folder(
    folder: Path, *, part: str, pooling: Pooling | None = None, onnx_file: str | None = None
) -> ModelFolder:
    """Read the small files of a model folder and find the large ones.

    `pooling` stands in for a missing 1_Pooling/config.json. `onnx_file`, relative to the folder, names an
    export that is used instead of the weights (a quantised one, say); without it only an export that by
    convention holds the same weights, onnx/model.onnx or model.onnx, is taken.

    Raises: PartUnavailable.
    """
    if not folder.is_dir():
        raise PartUnavailable(f"there is no model folder {folder}", part=part)
    reader = _FolderReader(folder, part)
    config = reader.required("config.json")
    reader.check_modules()
    pooling_config = reader.optional("1_Pooling/config.json")
    sentence_config = reader.optional("sentence_bert_config.json")
    tokenizer_config = reader.optional("tokenizer_config.json")
    weights, onnx = _find_weights(folder, part, onnx_file)
    prompts = reader.prompts()
    return ModelFolder(
        folder=folder,
        part=part,
        config=config,
        dimensions=_dimensions(config, pooling_config, part),
        pooling=_pooling(pooling_config, pooling, part),
        max_tokens=_max_tokens(config, sentence_config, tokenizer_config),
        lowercase=sentence_config.get("do_lower_case") is True,
        text_prompt=prompts[0],
        query_prompt=prompts[1],
        tokenizer=_find_tokenizer(folder, part),
        weights=weights,
        onnx=onnx,
    )


def lowercases(folder: Path, part: str) -> bool:
    """Whether the tokenizer of a folder without tokenizer.json lower-cases; BERT's default is yes."""
    return _FolderReader(folder, part).optional("tokenizer_config.json").get("do_lower_case") is not False


class _FolderReader:
    """Reads JSON files of one folder, in our own errors."""

    def __init__(self, folder: Path, part: str) -> None:
        self._folder = folder
        self._part = part

    def required(self, name: str) -> Mapping[str, object]:
        found = self.optional(name)
        if not found:
            raise PartUnavailable(
                f"the model folder {self._folder.name} has no {name}",
                part=self._part,
                hint="point at a folder in the sentence-transformers layout",
            )
        return found

    def optional(self, name: str) -> Mapping[str, object]:
        value = self._json(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise PartUnavailable(f"{name} is not a JSON object", part=self._part)
        return value

    def check_modules(self) -> None:
        """Refuse a pipeline with steps not run here: leaving one out would give other vectors."""
        modules = self._json("modules.json")
        for module in modules if isinstance(modules, list) else ():
            kind = str(module.get("type", "")).rpartition(".")[2] if isinstance(module, dict) else "?"
            if kind not in _MODULES:
                raise PartUnavailable(
                    f"modules.json names a step that is not known here: {kind}",
                    part=self._part,
                    hint=f"known steps: {', '.join(sorted(_MODULES))}",
                )

    def prompts(self) -> tuple[str, str]:
        """The prefixes for stored texts and for queries."""
        settings = self.optional("config_sentence_transformers.json")
        given = settings.get("prompts")
        prompts = cast("dict[str, object]", given) if isinstance(given, dict) else {}
        fallback = str(prompts.get(str(settings.get("default_prompt_name")), ""))
        text = next((str(prompts[key]) for key in ("document", "passage") if key in prompts), fallback)
        return text, str(prompts.get("query", fallback))

    def _json(self, name: str) -> object:
        try:
            return cast("object", json.loads((self._folder / name).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise PartUnavailable(f"{name} cannot be read ({type(error).__name__})", part=self._part) from None


def _dimensions(config: Mapping[str, object], pooling: Mapping[str, object], part: str) -> int:
    hidden = config.get("hidden_size", config.get("dim"))
    if not isinstance(hidden, int) or hidden < 1:
        raise PartUnavailable("config.json does not give the hidden size", part=part)
    pooled = pooling.get("word_embedding_dimension", pooling.get("embedding_dimension", hidden))
    if pooled != hidden:
        raise PartUnavailable(f"pooling expects {pooled} dimensions, the model has {hidden}", part=part)
    return hidden


def _pooling(config: Mapping[str, object], given: Pooling | None, part: str) -> Pooling:
    if given is not None:
        return given
    named = config.get("pooling_mode")
    wanted = (
        {named}
        if isinstance(named, str)
        else {key for key, on in config.items() if key.startswith("pooling_mode_") and on is True}
    )
    known = {**_POOLING_FLAGS, **_POOLING_NAMES}
    if len(wanted) == 1 and (found := known.get(next(iter(wanted)))) is not None:
        return found
    what = f"asks for {', '.join(sorted(wanted))}" if wanted else "is missing or names no mode"
    raise PartUnavailable(
        f"how to pool token vectors is not known: 1_Pooling/config.json {what}",
        part=part,
        hint="known modes: mean, cls, max, last token; name one when configuring the embedder",
    )


def _max_tokens(config: Mapping[str, object], sentence: Mapping[str, object], tokenizer: Mapping[str, object]) -> int:
    limits = [512]
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int):
        limits = [positions - first_position(config)]
    wanted = sentence.get("max_seq_length", tokenizer.get("model_max_length"))
    if isinstance(wanted, int) and wanted > 0:
        limits.append(wanted)
    return max(2, min(limits))


def _find_tokenizer(folder: Path, part: str) -> Path:
    for name in ("tokenizer.json", "vocab.txt"):
        if (folder / name).is_file():
            return folder / name
    raise PartUnavailable(f"the model folder {folder.name} has neither tokenizer.json nor vocab.txt", part=part)


def _find_weights(folder: Path, part: str, onnx_file: str | None) -> tuple[Path | None, Path | None]:
    if onnx_file is not None:
        if not (folder / onnx_file).is_file():
            raise PartUnavailable(f"the model folder {folder.name} has no {onnx_file}", part=part)
        return None, folder / onnx_file
    weights = folder / "model.safetensors"
    onnx = next((folder / name for name in _ONNX_FILES if (folder / name).is_file()), None)
    if weights.is_file():
        return weights, onnx
    if onnx is None:
        pickled = (folder / "pytorch_model.bin").is_file()
        raise PartUnavailable(
            f"the model folder {folder.name} has no model.safetensors and no onnx/model.onnx",
            part=part,
            hint="pytorch_model.bin is a pickle and is not opened; convert it to safetensors" if pickled else None,
        )
    return None, onnx


def _sample(path: Path, digest: hashlib._Hash) -> None:
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(number * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
