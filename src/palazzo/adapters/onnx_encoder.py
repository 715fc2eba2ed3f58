"""Runs an ONNX export of an encoder with onnxruntime, an optional extra.

Owns the session and its inputs. Knows nothing of text, pooling or folders. Any architecture will do: the
graph says what it needs. A session has a thread pool, so it belongs to the process that made it; threads
sleep between calls rather than spin, since a memory is mostly idle and never alone on its machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from palazzo.adapters.bert import batches_by_length
from palazzo.errors import PartUnavailable

if TYPE_CHECKING:
    from palazzo.ports import Vectors

# Larger batches were slower per CPU second (190 texts at 128 tokens, 156 at 2048) and took 60 MB more.
_TOKENS_AT_ONCE = 256
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_OUTPUTS = ("last_hidden_state", "token_embeddings")


def onnxruntime_is_installed() -> bool:
    """Whether the extra is there, without importing it."""
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None


class OnnxEncoder:
    """Hidden states of the last layer for sequences of token numbers."""

    def __init__(self, path: Path, *, part: str) -> None:
        """Open the graph.

        Raises: PartUnavailable.
        """
        self._part = part
        runtime = _runtime(part)
        self._failures = _failures(runtime)
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        # The arena keeps the memory of the largest batch for good.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        with _translated(self._failures, f"the ONNX file {path.name} cannot be opened", part):
            self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._inputs = [found.name for found in self._session.get_inputs()]
        if "input_ids" not in self._inputs or not set(self._inputs) <= _INPUTS:
            raise PartUnavailable(f"the ONNX file {path.name} asks for inputs that are not known here", part=part)
        self._output = self._choose_output(path)

    def states(self, sequences: Sequence[Sequence[int]]) -> Iterator[tuple[int, Vectors]]:
        """Yield each sequence's index and states, of shape (tokens, hidden size), short ones first.

        Raises: PartUnavailable.
        """
        for batch in batches_by_length(sequences, tokens_at_once=_TOKENS_AT_ONCE):
            states = self._run([sequences[index] for index in batch])
            for row, index in enumerate(batch):
                yield index, states[row, : len(sequences[index])]

    def _run(self, sequences: Sequence[Sequence[int]]) -> Any:
        import numpy as np

        shape = (len(sequences), max(map(len, sequences)))
        feed = {name: np.zeros(shape, dtype=np.int64) for name in self._inputs}
        for row, sequence in enumerate(sequences):
            feed["input_ids"][row, : len(sequence)] = sequence
            if "attention_mask" in feed:
                feed["attention_mask"][row, : len(sequence)] = 1
        with _translated(self._failures, "the ONNX graph failed", self._part):
            (states,) = self._session.run([self._output], feed)
        return states.astype(np.float32, copy=False)

    def _choose_output(self, path: Path) -> str:
        outputs = {str(found.name): found for found in self._session.get_outputs()}
        for name in _OUTPUTS:
            if name in outputs:
                return name
        for name, found in outputs.items():
            if len(found.shape) == 3:
                return name
        raise PartUnavailable(f"the ONNX file {path.name} has no output with a vector per token", part=self._part)


@contextmanager
def _translated(failures: tuple[type[BaseException], ...], message: str, part: str) -> Iterator[None]:
    """Turns onnxruntime's errors, which share no root of their own, into ours; inputs are not repeated."""
    try:
        yield
    except failures as error:
        raise PartUnavailable(f"{message} ({type(error).__name__})", part=part) from None


def _failures(runtime: ModuleType) -> tuple[type[BaseException], ...]:
    state = runtime.capi.onnxruntime_pybind11_state
    found = [value for value in vars(state).values() if isinstance(value, type) and issubclass(value, Exception)]
    return (*found, RuntimeError, ValueError)


def _runtime(part: str) -> ModuleType:
    try:
        import onnxruntime
    except ImportError:
        raise PartUnavailable(
            "running an ONNX file needs the onnxruntime package, which is not installed",
            part=part,
            hint="pip install onnxruntime tokenizers",
        ) from None
    runtime: ModuleType = onnxruntime
    return runtime
