"""Whether ordinary use comes out as people expect: scenarios of what is said, and what must and must not come back.

    python -m bench.everyday --data FILE [--half first|second] [--failures] --json

FILE is a list of scenarios {id, area, now, say, ask, stored, when, context}. Each gets a palace of its own through the
public library, with a clock that stands at `now` and the speaker's zone taken from it. `say` is told in order, then

ask      one of the first three texts of recall matches one of `want_any`
ban      none of the first five matches `ban`, but for hits marked as replaced, ended or no longer true, and hits that
         say that the assistant said it
abstain  there is no hit, or the reply says that nothing is known
stored   kept: a live memory contains the text and was not replaced or ended. Not kept: no live memory but the raw turn
         contains it; `turns`: nor a raw turn; `anywhere`: nor what is archived or forgotten, a revision, a file
when     a live memory other than the raw turn contains the text and begins or ends on that day
context  all of `want` and none of `ban` in the block, the message itself aside, within `max_tokens`

`context_facts_share` is, over the blocks that hold a fact, the characters of their facts in those of the blocks;
`greeting_tokens` the most tokens that a greeting in one of four languages got from any of the scenarios' palaces.

A scenario passes when all its checks do. Halves are by the scenario's place in the file, so that one can be looked at
while the other stays unseen; both are always counted.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from bench.common import machine, show
from palazzo import Memory
from palazzo.errors import PalazzoError
from palazzo.operations.recall.spec import RecalledMemory
from palazzo.operations.shared import StoredMemory
from palazzo.testing.clock import FixedClock

RAW = "exchange"
ENDED = re.compile(r"held until|no longer|replaced|may have changed|deprecated|\bended\b|\bwas .{1,80} until\b")
BY_ASSISTANT = re.compile(r"^assistant: |^the assistant (said|answered)|said by (the )?assistant", re.IGNORECASE)
PAGE = 1000
GREETINGS = ("hello", "Guten Morgen!", "merci beaucoup", "hola, qué tal")
Check = tuple[str, bool, str]
"""The kind of a check, whether it passed, and what was wanted."""


class Palace:
    """One scenario told to a palace of its own."""

    def __init__(self, folder: Path, scenario: dict[str, Any]) -> None:
        self.now = datetime.fromisoformat(scenario["now"])
        self.zone: tzinfo | None = self.now.tzinfo
        self.folder = folder
        self.memory = Memory(
            folder, clock=FixedClock(self.now), zone=self.now.isoformat()[-6:], durable=False, upkeep=False
        )
        self.errors: list[str] = []
        self.facts = Counter[str]()
        """Characters of contexts, and of the facts in them."""
        self.greeting_tokens = 0
        for said in scenario["say"]:
            try:
                self._tell(said)
            except PalazzoError as error:  # what is refused is part of what the checks look at
                self.errors.append(f"{said['text'][:60]!r}: {error}")

    def _tell(self, said: dict[str, Any]) -> None:
        user, at = said.get("user"), said.get("at")
        moment = datetime.fromisoformat(at) if at else None
        speaker = said.get("speaker") or "user"
        name = "" if speaker in ("user", "assistant") else speaker
        if said["how"] == "observe":
            turn = {"content": said["text"], "role": "assistant" if speaker == "assistant" else "user", "speaker": name}
            self.memory.observe([turn | ({"at": moment} if moment else {})], user_id=user)
        elif said["how"] in ("remember", "remember_verbatim"):
            self.memory.remember(
                said["text"], verbatim=said["how"] == "remember_verbatim", at=moment, speaker=name, user_id=user,
                name=said.get("name") or "", place=said.get("place") or "",
            )  # fmt: skip
        elif said["how"] == "forget":
            for held in self.held(user=user):
                if said["text"] in held.text:
                    self.memory.forget(str(held.id), user_id=user)
        elif said["how"] == "forget_found":
            for hit in self.memory.recall(said["text"], user_id=user)[:1]:
                self.memory.forget(str(hit.memory.id), user_id=user)
        else:
            raise ValueError(f"no way to say: {said['how']}")

    def held(self, state: Any = "live", user: str | None = None) -> Iterator[StoredMemory]:
        cursor = ""
        while True:
            page = self.memory.list(state=state, limit=PAGE, cursor=cursor, user_id=user)
            yield from page
            if not (cursor := page.next_cursor):
                return

    def everyone(self, scenario: dict[str, Any], state: Any = "live") -> list[StoredMemory]:
        """What stands in the palace for any of the scenario's users."""
        users = {said.get("user") for said in scenario["say"]} | {None}
        found = {held.id: held for user in users for held in self.held(state, user)}
        return list(found.values())

    def checks(self, scenario: dict[str, Any]) -> Iterator[Check]:
        for asked in scenario["ask"]:
            yield from self._asked(asked)
        live = self.everyone(scenario)
        for stored in scenario["stored"]:
            yield self._stored(stored, live, scenario)
        for when in scenario["when"]:
            yield self._when(when, live)
        if scenario["context"]:
            yield self._context(scenario["context"])

    def _asked(self, asked: dict[str, Any]) -> Iterator[Check]:
        recalled = self.memory.recall(asked["q"], user_id=asked.get("user"))
        hits = list(recalled)
        if asked["want_any"]:
            fits = any(re.search(want, hit.text) for hit in hits[:3] for want in asked["want_any"])
            yield "ask", fits, f"{asked['q']} -> {asked['want_any']}, not {texts(hits[:3])}"
        if asked["ban"]:
            shown = [hit for hit in hits[:5] if not marked(hit, self.now)]
            banned = [hit for hit in shown if any(re.search(ban, hit.text) for ban in asked["ban"])]
            yield "ban", not banned, f"{asked['q']} -> {texts(banned)}"
        if asked["abstain"]:
            silent = not hits or getattr(recalled, "known", True) is False
            yield "abstain", silent, f"{asked['q']} -> {texts(hits[:2])}"

    def _stored(self, stored: dict[str, Any], live: Sequence[StoredMemory], scenario: dict[str, Any]) -> Check:
        text = stored["text_contains"]
        with_it = [held for held in live if text in held.text]
        if stored["kept"]:
            return "stored", any(not over(held, self.now) for held in with_it), f"{text!r} is not kept"
        if stored.get("turns") or stored.get("anywhere"):
            left = [held.text for held in with_it]
        else:
            left = [held.text for held in with_it if held.kind != RAW]
        if stored.get("anywhere"):
            left += [held.text for held in self.everyone(scenario, "all") if text in held.text]
            left += [past.text for held in live for past in self._past(held) if text in past.text]
            left += [
                str(file.name) for file in self.folder.rglob("*") if file.is_file() and text.encode() in read(file)
            ]
        return "stored", not left, f"{text!r} stands in {left[:2]}"

    def _past(self, held: StoredMemory) -> Iterator[Any]:
        user = re.search(r"user=(\w+)", held.scope)
        yield from self.memory.history(str(held.id), user_id=user[1] if user else None)

    def _when(self, when: dict[str, Any], live: Sequence[StoredMemory]) -> Check:
        found = [held for held in live if held.kind != RAW and when["text_contains"] in held.text]
        wanted = [(when[end], get) for end, get in (("begins", "valid_from"), ("ends", "valid_to")) if when[end]]

        def days(held: StoredMemory) -> set[str]:
            return {end.astimezone(self.zone).date().isoformat() for end in (held.valid_from, held.valid_to) if end}

        fits = any(all(day in days(held) for day, _ in wanted) for held in found)
        return "when", fits, f"{when} in {[(held.text, sorted(days(held))) for held in found]}"

    def _context(self, wanted: dict[str, Any]) -> Check:
        block = self.memory.context(wanted["message"])
        self.greeting_tokens = max(self.memory.context(greeting).tokens for greeting in GREETINGS)
        if block.hits:
            self.facts.update(facts=sum(len(hit.text) for hit in block.hits), block=len(block.text))
        text = block.text.replace(wanted["message"], "")
        missing = [want for want in wanted["want"] if not re.search(want, text)]
        banned = [ban for ban in wanted["ban"] if re.search(ban, text)]
        fits = not missing and not banned and block.tokens <= wanted["max_tokens"]
        told = f"{wanted['message']!r}: misses {missing}, has {banned}, {block.tokens} of {wanted['max_tokens']} tokens"
        return "context", fits, f"{told}\n{block.text}"


def texts(hits: Sequence[RecalledMemory]) -> list[str]:
    return [hit.text[:90] for hit in hits]


def read(file: Path) -> bytes:
    return file.read_bytes()


def marked(hit: RecalledMemory, now: datetime) -> bool:
    """Whether a hit says that it is over, or that the assistant said it."""
    told = f"{hit.caveat} {hit.source}"
    return over(hit.memory, now) or bool(
        ENDED.search(told) or BY_ASSISTANT.search(hit.text) or BY_ASSISTANT.search(told)
    )


def over(held: StoredMemory, now: datetime) -> bool:
    """Whether a memory was replaced or has ended; what happened once is not over by that."""
    return held.deprecated or (held.kind != "event" and held.valid_to is not None and held.valid_to <= now)


def measure(scenarios: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[Check], Palace]]:
    for scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            palace = Palace(Path(folder) / "palace", scenario)
            try:
                checks = list(palace.checks(scenario))
            finally:
                palace.memory.close()
        yield scenario, checks, palace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=("first", "second"), help="run only the even or the odd scenarios")
    parser.add_argument("--area", help="run only this area")
    parser.add_argument("--failures", action="store_true", help="say what failed")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    scenarios = json.loads(options.data.read_text("utf-8"))
    halves = {scenario["id"]: ("first", "second")[n % 2] for n, scenario in enumerate(scenarios)}
    scenarios = [
        scenario
        for scenario in scenarios
        if options.half in (None, halves[scenario["id"]]) and options.area in (None, scenario["area"])
    ]
    areas: dict[str, Counter[str]] = {}
    kinds: dict[str, Counter[str]] = {}
    of_half: dict[str, Counter[str]] = {}
    failed: list[dict[str, Any]] = []
    facts, greeting = Counter[str](), 0
    for scenario, checks, palace in measure(scenarios):
        facts.update(palace.facts)
        greeting = max(greeting, palace.greeting_tokens)
        passed = all(ok for _, ok, _ in checks)
        for table, key in ((areas, scenario["area"]), (of_half, halves[scenario["id"]])):
            table.setdefault(key, Counter()).update(total=1, passed=passed)
        for kind, ok, _ in checks:
            kinds.setdefault(kind, Counter()).update(total=1, passed=ok)
        if not passed:
            told = [f"{kind}: {why}" for kind, ok, why in checks if not ok]
            failed.append({"id": scenario["id"], "area": scenario["area"], "failed": told, "errors": palace.errors})

    def table(counted: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
        return {key: {"passed": found["passed"], "total": found["total"]} for key, found in sorted(counted.items())}

    total = sum(found["total"] for found in areas.values())
    passed = sum(found["passed"] for found in areas.values())
    result: dict[str, Any] = {
        "scenarios": total, "passed": passed, "share": round(passed / total, 4) if total else None,
        "context_facts_share": round(facts["facts"] / facts["block"], 4) if facts["block"] else None,
        "greeting_tokens": greeting, "areas": table(areas), "checks": table(kinds),
        "halves": table(of_half), "made": machine(),
    }  # fmt: skip
    if options.failures:
        result["failures"] = failed
    show(result, as_json=options.json)


if __name__ == "__main__":
    main()
