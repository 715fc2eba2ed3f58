"""Operations about what a model is given to read: what is in mind, and how much each model takes. Parameters, results
and declarations.

Owns no behaviour. Invariant: what is in mind is told to whose mind it is, and to nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from palazzo.model.capability import Level
from palazzo.operations.declared import Operation, told
from palazzo.operations.shared import Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsParameters:
    """Arguments of `models`."""

    name: str = told("Only the entry that speaks for the model of this name.", "")


class ShownModel(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the language models whose names begin with `prefix`; empty for those nobody knows."""

    prefix: str
    context_tokens: int
    output_tokens: int
    tools: bool
    vision: bool
    thinking: bool
    tokenizer: str
    ratio: float
    depth: int


class ModelList(Listing[ShownModel], frozen=True, kw_only=True):
    """The table of language models, with what the setting `models` laid over it."""

    listed: ClassVar[str] = "models"
    models: tuple[ShownModel, ...]


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="models", arguments=ModelsParameters, result=ModelList, level=Level.metadata, where="palace",
        toolset="full",
        people="List the language models a context can be made for, and how much each takes.",
        models="See how many tokens a model takes and gives, as contexts made for it assume.",
    ),
)  # fmt: skip
