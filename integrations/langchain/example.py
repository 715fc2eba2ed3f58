"""A LangChain chat whose history is kept, and a retriever over what was learned from it. No key is needed.

pip install . langchain-core && python integrations/langchain/example.py    # in a checkout of Palazzo
"""

import sys

from langchain_core.prompts import ChatPromptTemplate

from palazzo import Memory
from palazzo.integrations.langchain import PalazzoChatMessageHistory, PalazzoRetriever


def main(palace: str) -> None:
    with Memory(palace) as memory:
        monday = PalazzoChatMessageHistory("monday", memory, user_id="ada")
        monday.add_user_message("Our deploys to production happen on Tuesdays.")
        monday.add_ai_message("Noted.")
        print(len(monday.messages), "messages in the chat of Monday")

        retriever = PalazzoRetriever(memory=memory, k=3, recall={"user_id": "ada"})
        prompt = ChatPromptTemplate.from_template("Known:\n{known}\n\nQuestion: {question}")
        question = "When do we deploy?"
        known = "\n".join(document.page_content for document in retriever.invoke(question))
        print(prompt.invoke({"known": known, "question": question}).to_string())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "palace")
