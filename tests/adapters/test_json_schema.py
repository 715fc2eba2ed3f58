"""The schema check: what fits, what does not and where, and which schemas are not taken at all."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.adapters.completion import check_schema, find_fault, is_strict
from palazzo.errors import InvalidInput

SECRET = "a remembered sentence"

FITTING: list[tuple[Any, dict[str, Any]]] = [
    ("x", {"type": "string"}),
    (1, {"type": "integer"}),
    (1.0, {"type": "integer"}),
    (1, {"type": "number"}),
    (None, {"type": ["string", "null"]}),
    (True, {"type": "boolean"}),
    ({}, {"type": "object"}),
    ([], {"type": "array", "items": {"type": "string"}}),
    ("b", {"enum": ["a", "b"]}),
    (1, {"const": 1}),
    (3, {"minimum": 3, "maximum": 3}),
    (3, {"exclusiveMinimum": 2, "exclusiveMaximum": 4}),
    ("abc", {"minLength": 3, "maxLength": 3, "pattern": "^a"}),
    ([1, 2], {"minItems": 2, "maxItems": 2}),
    ("x", {"minItems": 5, "minimum": 9}),
    ({"a": 1, "other": "x"}, {"properties": {"a": {"type": "integer"}}}),
    ({"other": 2}, {"additionalProperties": {"type": "integer"}}),
    (5, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ("anything", {"title": "T", "description": "D", "default": 1, "examples": []}),
    ({"next": {"next": None}}, {"$ref": "#/$defs/n", "$defs": {"n": {
        "type": ["object", "null"], "properties": {"next": {"$ref": "#/$defs/n"}}}}}),
]  # fmt: skip

UNFIT: list[tuple[Any, dict[str, Any], str]] = [
    (SECRET, {"type": "integer"}, "$: expected integer"),
    (True, {"type": "integer"}, "$: expected integer"),
    (1.5, {"type": "integer"}, "$: expected integer"),
    (math.nan, {"type": "integer"}, "$: expected integer"),
    (1, {"type": ["string", "null"]}, "$: expected string or null"),
    (SECRET, {"enum": ["a", "b"]}, "$: is none of the 2 allowed values"),
    (1, {"enum": [True]}, "$: is none of the 1 allowed values"),
    (True, {"const": 1}, "$: is not the constant the schema asks for"),
    (2, {"minimum": 3}, "$: must be at least 3"),
    (4, {"maximum": 3}, "$: must be at most 3"),
    (2, {"exclusiveMinimum": 2}, "$: must be more than 2"),
    (2, {"exclusiveMaximum": 2}, "$: must be less than 2"),
    (SECRET, {"maxLength": 3}, "$: must have 3 characters or fewer"),
    ("", {"minLength": 1}, "$: must have 1 characters or more"),
    ([], {"minItems": 1}, "$: must have 1 items or more"),
    ([1, 2], {"maxItems": 1}, "$: must have 1 items or fewer"),
    (SECRET, {"pattern": "^b"}, "$: does not match the pattern"),
    ({}, {"required": ["kind"]}, "$.kind: missing"),
    ({SECRET: 1}, {"type": "object", "additionalProperties": False}, "$: has a property that is not in the schema"),
    ({SECRET: "x"}, {"additionalProperties": {"type": "integer"}}, "$.*: expected integer"),
    (SECRET, {"anyOf": [{"type": "null"}, {"type": "array"}]}, "$: fits none of 2 alternatives"),
    (
        {"items": [{"kind": "a"}, {"kind": 1}]},
        {"properties": {"items": {"items": {"properties": {"kind": {"type": "string"}}}}}},
        "$.items[1].kind: expected string",
    ),
]

NOT_TAKEN: list[Any] = [
    {"oneOf": []},
    {"type": "text"},
    {"type": ["string", "text"]},
    {"properties": {"a": {"format": "date"}}},
    {"properties": []},
    {"items": {"not": {}}},
    {"items": []},
    {"anyOf": [{"unknown": 1}]},
    {"anyOf": {}},
    {"required": "name"},
    {"enum": "ab"},
    {"minimum": "3"},
    {"pattern": "("},
    {"$ref": "#/$defs/absent"},
    {"$ref": "https://example.org/schema"},
    {"$defs": {"a": {"if": {}}}},
    {"additionalProperties": {"patternProperties": {}}},
    [],
]  # fmt: skip


@pytest.mark.parametrize(("value", "schema"), FITTING)
def test_a_fitting_value_has_no_fault(value: Any, schema: dict[str, Any]) -> None:
    assert find_fault(value, schema) is None


@pytest.mark.parametrize(("value", "schema", "fault"), UNFIT)
def test_a_fault_is_placed_and_the_value_is_not_repeated(value: Any, schema: dict[str, Any], fault: str) -> None:
    assert find_fault(value, schema) == fault


@pytest.mark.parametrize("schema", NOT_TAKEN)
def test_a_schema_that_is_not_understood_is_refused_whatever_the_value(schema: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_schema(schema)
    assert caught.value.field == "schema"
    with pytest.raises(InvalidInput):
        find_fault(None, schema)


def test_a_value_nested_without_end_is_a_fault_not_a_crash() -> None:
    schema = {"$ref": "#/$defs/n", "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    assert "nested too deeply" in (find_fault(value, schema) or "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def exact_schema(value: Any) -> dict[str, Any]:
    """A schema that describes this value's structure and nothing else."""
    if isinstance(value, dict):
        return {
            "type": "object",
            "properties": {name: exact_schema(part) for name, part in value.items()},
            "required": list(value),
            "additionalProperties": False,
        }
    if isinstance(value, list):
        return {"type": "array", "items": {"anyOf": [exact_schema(part) for part in value]} if value else {}}
    return {"const": value}


@given(json_values)
def test_every_value_fits_the_schema_made_from_it(value: Any) -> None:
    schema = exact_schema(value)
    assert find_fault(value, schema) is None
    assert find_fault(json.loads(json.dumps(value)), schema) is None
    assert is_strict(schema)


def told_apart(value: Any) -> Any:
    """The value with truth values marked, so that Python's equality tells them from numbers."""
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, list):
        return [told_apart(part) for part in value]
    if isinstance(value, dict):
        return {name: told_apart(part) for name, part in value.items()}
    return value


small: st.SearchStrategy[Any] = st.sampled_from([0, 1, 0.0, 1.0, True, False, None, "", [], {}])
small_values = small | st.lists(small, max_size=2) | st.dictionaries(st.sampled_from("ab"), small, max_size=2)


@given(small_values, small_values)
def test_a_constant_is_met_by_equal_json_alone(value: Any, other: Any) -> None:
    fits = find_fault(other, {"const": value}) is None
    assert fits == (told_apart(value) == told_apart(other))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": False},
        {"type": "array", "items": {"type": "object"}},
        {"anyOf": [{"type": ["object", "null"], "properties": {}}]},
        {"$defs": {"d": {"type": "object"}}},
    ],
)
def test_an_open_object_anywhere_is_not_strict(schema: dict[str, Any]) -> None:
    assert not is_strict(schema)
