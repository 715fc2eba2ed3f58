"""What an exception gives away, for tests that errors never carry remembered content or keys.

Owns one walk over an exception and everything attached to it. Knows nothing of what is secret: the test does.
"""

from __future__ import annotations

import traceback


def everything_said(error: BaseException) -> str:
    """Text, arguments, attributes and traceback of an error and of all its causes and contexts, as one string."""
    parts: list[str] = []
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        attributes = {name: getattr(found, name, None) for name in dir(found) if not name.startswith("_")}
        parts += [str(found), repr(found), repr(found.args), repr(attributes)]
        waiting += [found.__cause__, found.__context__]
    return "\n".join([*parts, *traceback.format_exception(error)])
