"""The registry as a whole: every operation is complete, runs, and says what it is."""

from __future__ import annotations

import msgspec
import pytest

from palazzo.errors import NotFound
from palazzo.model.capability import Level
from palazzo.operations.declared import Operation
from palazzo.operations.registry import ALIASES, BY_NAME, OPERATIONS, function_of, operation

CORE = {"remember", "recall", "get", "list", "update", "forget", "history", "why", "status"}
each = pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)


def test_names_are_unique_and_every_operation_runs() -> None:
    assert len(BY_NAME) == len(OPERATIONS)
    assert all(callable(function_of(name)) for name in BY_NAME)


@each
def test_every_operation_speaks_to_people_and_to_the_models_that_may_call_it(declared: Operation) -> None:
    assert declared.people.endswith(".")
    assert bool(declared.models) == bool(declared.toolset)
    assert all(p.help.endswith(".") for p in declared.parameters), declared.name


@each
def test_writing_needs_a_capability_to_write(declared: Operation) -> None:
    assert (declared.level >= Level.write) == (declared.writes or declared.operator_only)
    assert declared.level > Level.none


@each
def test_what_must_be_given_comes_first_and_the_scope_keys_last(declared: Operation) -> None:
    order = [(p.of_scope, not p.required) for p in declared.parameters]
    assert order == sorted(order)


@each
def test_results_are_frozen_values(declared: Operation) -> None:
    frozen = (
        declared.result.__struct_config__.frozen
        if issubclass(declared.result, msgspec.Struct)
        else declared.result.__dataclass_params__.frozen
    )
    assert frozen


def test_an_operation_only_the_operator_may_use_is_no_tool_of_a_model() -> None:
    assert all(not o.toolset for o in OPERATIONS if o.operator_only)


def test_the_core_tools_are_few_enough_to_hold_in_mind() -> None:
    core = {o.name for o in OPERATIONS if o.toolset == "core"}
    assert core >= CORE
    assert len(core) <= 12


def test_a_familiar_name_is_the_same_operation_and_an_unknown_one_is_not_found() -> None:
    assert {alias: operation(alias).name for alias in ALIASES} == dict(ALIASES)
    assert not set(ALIASES) & set(BY_NAME)
    with pytest.raises(NotFound, match="rember"):
        operation("rember")
