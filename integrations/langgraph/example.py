"""A LangGraph graph that remembers a user from one conversation to the next. No key and no model is needed.

pip install . langgraph && python integrations/langgraph/example.py    # in a checkout of Palazzo
"""

import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from palazzo.integrations.langgraph import PalazzoStore


class State(TypedDict):
    user: str
    message: str
    answer: str


def reply(state: State, *, store: BaseStore) -> dict[str, str]:
    """Where a model would answer: it looks up what is known of the user, and keeps what was said."""
    about = (state["user"], "facts")
    known = store.search(about, query=state["message"], limit=1)
    store.put(about, state["message"], {"text": state["message"]})
    return {"answer": f"You told me: {known[0].value['text']}" if known else "I will remember that."}


def main(palace: str) -> None:
    builder = StateGraph(State)
    builder.add_node("reply", reply)
    builder.add_edge(START, "reply")
    builder.add_edge("reply", END)
    for message in ("I am allergic to peanuts.", "What am I allergic to?"):
        with PalazzoStore(palace) as store:  # opened anew for each: it is a new process for all it knows
            print(">", message)
            print(builder.compile(store=store).invoke({"user": "ada", "message": message})["answer"])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "palace")
