"""AutoGen's memory over a palace: a model's context gets what is known for the last message.

pip install . autogen-core && python integrations/autogen/example.py    # in a checkout of Palazzo
"""

import asyncio
import sys

from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import UserMessage

from palazzo import Memory
from palazzo.integrations.autogen import PalazzoMemory


async def main(palace: str) -> None:
    with Memory(palace) as opened:
        memory = PalazzoMemory(opened, user_id="ada")
        await memory.add(MemoryContent(content="Ada wants temperatures in Celsius.", mime_type=MemoryMimeType.TEXT))
        context = BufferedChatCompletionContext(buffer_size=10)
        await context.add_message(UserMessage(content="In which unit do I want temperatures?", source="ada"))
        await memory.update_context(context)
        for message in await context.get_messages():
            print(f"{message.type}: {message.content}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "palace"))
