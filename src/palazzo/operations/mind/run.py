"""Operations about what a model is given to read.

Owns the way from slots and the table of models to results. Invariant: a mind is read through its own view, so what
became hidden since is not told.
"""

from __future__ import annotations

from palazzo.operations.context import CallContext
from palazzo.operations.mind import spec
from palazzo.recall.read.presets import Model


def models(context: CallContext, asked: spec.ModelsParameters) -> spec.ModelList:
    table = context.engine.models
    found = (table.of_name(asked.name),) if asked.name else table.every
    return spec.ModelList(models=tuple(_model(one) for one in found))


def _model(found: Model) -> spec.ShownModel:
    return spec.ShownModel(
        prefix=found.prefix, context_tokens=found.context_tokens, output_tokens=found.output_tokens,
        tools=found.tools, vision=found.vision, thinking=found.thinking, tokenizer=found.tokenizer, ratio=found.ratio,
        depth=found.depth,
    )  # fmt: skip
