"""A session a mem0 user could write, run against mem0 itself (scripts/record_mem0.py) and against our class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures/mem0-shapes.json"


def run(memory: Any, **search: Any) -> dict[str, Any]:
    """The answers of one session, by what was asked."""
    who = {"user_id": "lena", "agent_id": "concierge"}
    talk = [
        {"role": "system", "content": "You are a concierge."},
        {"role": "user", "name": "Lena", "content": "My sister brews beer in Ghent."},
        {"role": "assistant", "content": "Then Ghent is worth a weekend."},
    ]
    told = {"add": memory.add(talk, infer=False, metadata={"trip": "spring"}, **who)}
    told["add_text"] = memory.add("The night train leaves at nine.", user_id="lena", infer=False)
    first = told["add"]["results"][0]["id"]
    told["get"] = memory.get(first)
    told["get_nothing"] = memory.get("00000000-0000-7000-8000-000000000000")
    told["search"] = memory.search(
        "brews beer", filters={"user_id": "lena", "role": "user", "trip": "spring"}, **search
    )
    told["get_all"] = memory.get_all(filters={"user_id": "lena", "role": "user", "trip": "spring"})
    told["update"] = memory.update(first, "My sister brews beer in Bruges.")
    told["update_metadata"] = memory.update(first, metadata={"trip": "summer"})
    told["updated"] = memory.get(first)
    told["delete"] = memory.delete(first)
    told["history"] = memory.history(first)
    told["delete_all"] = memory.delete_all(user_id="lena")
    told["nothing_left"] = memory.get_all(filters={"user_id": "lena"})
    return told


def shape(answer: Any) -> Any:
    """Keys and types of an answer, and the words of fixed vocabulary in it; of a list every element."""
    if isinstance(answer, dict):
        fixed = {name: value for name, value in answer.items() if name in ("event", "message", "role", "user_id")}
        return {**{name: shape(value) for name, value in answer.items()}, **fixed}
    if isinstance(answer, list):
        return [shape(one) for one in answer]
    return type(answer).__name__
