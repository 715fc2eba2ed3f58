"""Tools for a CrewAI agent over a palace.

pip install . crewai && python integrations/crewai/example.py    # in a checkout of Palazzo

With a model's key set, `Agent(role=..., tools=memory_tools(memory))` calls them by itself; here they are called by hand.
"""

import sys

from palazzo import Memory
from palazzo.integrations.crewai import memory_tools


def main(palace: str) -> None:
    with Memory(palace) as memory:
        remember, recall, _forget = memory_tools(memory, user_id="ada")
        print(remember.run(text="The board meets on the first Monday of each month."))
        print(recall.run(question="when does the board meet?"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "palace")
