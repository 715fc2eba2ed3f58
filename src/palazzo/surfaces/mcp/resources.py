"""MCP resources: the palace to browse. A place is palazzo://place/PATH, a memory is its kref, kref://PALACE/PLACE/NAME.KIND.

Owns the addresses and the form; what they hold comes from the operations places, list and get. Invariant: a client
reads as a resource exactly what it could have read with a tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, unquote

import mcp_types as types

from palazzo.errors import NotFound
from palazzo.operations.recall.spec import PlaceList
from palazzo.surfaces.mcp.replies import brief

Ask = Callable[[str, dict[str, Any]], Any]
"""Calls an operation as the client and returns its result."""
PLACE: Final = "palazzo://place/"
KREF: Final = "kref://"
JSON: Final = "application/json"

TEMPLATES: Final = (
    types.ResourceTemplate(
        name="place", title="A place", uri_template=PLACE + "{place}", mime_type=JSON,
        description="The places below one and its newest memories. Places are dotted, such as work.projects.",
    ),
    types.ResourceTemplate(
        name="memory", title="A memory", uri_template=KREF + "{+kref}", mime_type=JSON,
        description="One memory by its kref; ?r=2 for a revision, ?t=NAME for a tag, ?at=TIME for a moment.",
    ),
)  # fmt: skip


def listed(ask: Ask) -> list[types.Resource]:
    """The palace itself and the places at its top that the client may know of."""
    found: PlaceList = ask("places", {})
    top = types.Resource(
        name="palace", title="The palace", uri=PLACE, mime_type=JSON, description="The places at the top."
    )
    return [top] + [
        types.Resource(
            name=place.place, title=place.place, uri=PLACE + quote(place.place), mime_type=JSON,
            description=f"{place.memories} memories stand here.",
        )
        for place in found
    ]  # fmt: skip


def read(ask: Ask, uri: str) -> str:
    """What a resource holds, as JSON.

    Raises: NotFound for an address of neither form, and what the operations raise.
    """
    if uri.startswith(KREF):
        told: Any = brief(ask("get", {"memory": uri}))
    elif uri.startswith(PLACE):
        place = unquote(uri.removeprefix(PLACE))
        told = {
            "places": [{"place": p.place, "memories": p.memories} for p in ask("places", {"place": place})],
            **brief(ask("list", {"place": f"{place}" if place else "", "limit": 50})),
        }
    else:
        raise NotFound("no resource has this address", hint=f"{PLACE}PATH, or a kref")
    return json.dumps(told, ensure_ascii=False)
