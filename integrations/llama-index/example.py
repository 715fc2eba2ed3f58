"""LlamaIndex's chat memory with a palace behind it: what leaves the window comes back when it matters.

pip install . llama-index-core && python integrations/llama-index/example.py    # in a checkout of Palazzo
"""

import asyncio
import sys

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as ChatMemory

from palazzo import Memory
from palazzo.integrations.llama_index import PalazzoMemoryBlock, PalazzoNodeRetriever


async def main(palace: str) -> None:
    with Memory(palace) as memory:
        block = PalazzoMemoryBlock(memory=memory, user_id="ada")
        chat = ChatMemory.from_defaults(
            session_id="monday", memory_blocks=[block], token_limit=60, token_flush_size=20,
            chat_history_token_ratio=0.5, tokenizer_fn=str.split,
        )  # fmt: skip
        await chat.aput(ChatMessage(role="user", content="My sister Clara plays the cello in an orchestra in Leeds."))
        for number in range(12):  # so much is said that the first message leaves the window
            await chat.aput(ChatMessage(role="assistant", content=f"Good to know, thank you, number {number}."))
            await chat.aput(ChatMessage(role="user", content=f"Let us go on with the next point, number {number}."))
        await chat.aput(ChatMessage(role="user", content="What does Clara play?"))
        for message in await chat.aget():
            print(f"{message.role.value}: {message.content}")
        print(PalazzoNodeRetriever(memory, recall={"user_id": "ada"}).retrieve("what does Clara play?")[0].text)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "palace"))
