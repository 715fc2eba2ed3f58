"""The arguments of the guard's operations: grants, tokens and what else only a person does.

Owns no behaviour. Invariant: as in parameters.py, a parameter means the same in every operation that has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mnemon.operations.declared import Scoped, told


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeToken(Scoped):
    """Arguments of `token_create`."""

    subject: str = told("Who its bearer is, such as mcp:desk or agent:primary.")
    label: str = told("A word to know it by.", "")
    days: float | None = told("For how many days it holds; for good when left out.", None, low=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneToken:
    """Arguments of `token_revoke`."""

    token: str = told("The id of the token, as `token_list` shows it.")
