"""The memory service of Google's Agent Development Kit over a palace.

pip install . google-adk && python integrations/google-adk/example.py    # in a checkout of Palazzo

`Runner(..., memory_service=PalazzoMemoryService(memory))` gives it to an agent with the tool `load_memory`.
"""

import asyncio
import sys

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService
from google.genai import types

from palazzo import Memory
from palazzo.integrations.google_adk import PalazzoMemoryService


async def main(palace: str) -> None:
    with Memory(palace) as memory:
        service = PalazzoMemoryService(memory)
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="shop", user_id="ada", session_id="monday")
        said = types.Content(role="user", parts=[types.Part(text="My shoe size is 39.")])
        await sessions.append_event(session, Event(author="user", content=said))
        await service.add_session_to_memory(session)
        for user in ("ada", "ben"):
            found = await service.search_memory(app_name="shop", user_id=user, query="What is my shoe size?")
            print(user, [part.text for entry in found.memories for part in entry.content.parts or []])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "palace"))
