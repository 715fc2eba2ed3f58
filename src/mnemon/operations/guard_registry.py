"""The guard's part of the registry: what only a person may call. None of it is a tool of a model.

Owns declarations only, like registry.py, which joins them to the others. Invariant: every operation here is the
operator's alone and in no toolset.
"""

from __future__ import annotations

from typing import Final

from mnemon.model.capability import Level
from mnemon.operations import guard_parameters as p
from mnemon.operations import guard_results as r
from mnemon.operations.declared import Operation
from mnemon.operations.parameters import Nothing

GUARD_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="token_create", arguments=p.MakeToken, result=r.MadeToken, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="Make a bearer token for a subject; its text is shown only once.",
        models="",
    ),
    Operation(
        name="token_list", arguments=Nothing, result=r.TokenList, level=Level.forget, where="palace",
        operator_only=True, toolset="",
        people="List the tokens, without their texts.",
        models="",
    ),
    Operation(
        name="token_revoke", arguments=p.OneToken, result=r.TokenList, level=Level.forget, where="palace",
        writes=True, operator_only=True, toolset="",
        people="End a token at once.",
        models="",
    ),
)  # fmt: skip
