"""What a cue asks for, read from its words: the intent, and the few traits that decide which signals count.

Owns the phrases; knows nothing of what is stored. Invariant: any string is safe, the time is linear in its length, and
every decision is a plain yes or no that the explanation can name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from palazzo.text.meaning.kinds import is_question

Intent = Literal["lookup", "exploratory", "comparative", "temporal", "procedural", "causal", "entity"]

FEW_WORDS: Final = 3
"""A question that asks for several things in at most this many content words names them by their kind, not by their
words: its evidence is spread over sessions (a prototype on five development conversations, built-in / MiniLM: multi-hop
+2.6 / +3.3 points R@10, adversarial -0.9 / -0.9)."""
_MAX_READ: Final = 2_000

_SOURCES: Final[dict[str, str]] = {
    "time": r"^\W*(?:so |and )?(?:when\b|since when|how long\b|how old\b)"
    r"|\b(?:what|which) (?:\w+ )?(?:date|day|month|year|time|week)\b|\bhow (?:recently|often)\b",
    "number": r"\bhow (?:many|much|old|often|long)\b|\bnumber of\b|\bin total\b",
    "several": r"^\W*(?:what|which) (?:are|were)\b"
    r"|^\W*(?:what|which) (?:[\w/'-]+ ){0,3}?[\w/'-]*[^s\W]s (?:has|have|do|does|did|are|were|is)\b"
    r"|^\W*(?:what|which) (?:[\w/'-]+ ){1,4}(?:has|have)\b"
    r"|^\W*how many\b|\bboth\b|^\W*(?:what|which) (?:kind|type|sort)s?\b|^\W*where (?:has|have)\b"
    r"|\b(?:all|every|list|each) ",
    "order": r"\b(?:in (?:what|which) order|chronological|sequence|timeline|over time|throughout)\b"
    r"|\b(?:the order|in order)\b|\bsummar(?:y|ise|ize)\b|\b(?:we|i)(?:'ve)? (?:covered|discussed|brought up)\b",
    "compare": r"\b(?:compared? (?:to|with)|difference between|versus|vs\.?|rather than|better than|both)\b",
    "cause": r"^\W*why\b|\b(?:because of|reason (?:for|why)|what (?:caused|made|led)|how come|due to|motivat\w+)\b",
    "steps": r"^\W*how (?:do|can|should|would|to|might)\b"
    r"|\b(?:steps? (?:to|for)|instructions? (?:to|for)|procedure|guide me)\b",
    "request": r"\b(?:can|could|would|will) you\b"
    r"|\b(?:please|help me|show me|give me|tell me how|walk me through|write me|suggest|recommend)\b"
    r"|\b(?:advise|what should i|how (?:do|can|should|would|might) i|i need (?:help|you)|i want you)\b"
    r"|^\W*(?:write|create|make|build|draft|explain|describe|implement|generate|design|plan|list|summari[sz]e|fix|add)\b",
    "own": r"\b(?:did|have|had|do|was|were|am) (?:i|we)\b|\b(?:my|our)\b",
    "agent": r"\b(?:did|have|had|were) you\b"
    r"|\byou (?:\w+ )?(?:said|suggest\w*|recommend\w*|told|explain\w*|gave|mention\w*|advis\w*|propos\w*|provid\w*)\b"
    r"|\byour (?:\w+ )?(?:suggestion|recommendation|advice|answer|reply|example)s?\b",
    "past": r"\b(?:used to|previous(?:ly)?|formerly|originally|back then|at first|in the past|history of|initially)\b"
    r"|\bbefore (?:it|that|this|they) (?:was |were |had )?(?:chang|updat|replac|mov|correct)\w+"
    r"|\b(?:over the years|at the time|what was|who was|where was)\b",
    "before": r"\bbefore (?:i|we|he|she|they|that|the)\b|\bchanged?\b|\bold (?:one|value|address|job)\b",
    "present": r"\b(?:current(?:ly)?|now(?:adays)?|latest|up[- ]to[- ]date|at present|these days|at the moment"
    r"|still valid|valid (?:value|one|now)|the valid|as of (?:now|today))\b",
    "collects": r"^\W*(?:what|which) (?:[\w/'+-]+ ){0,4}?[\w/'+-]*[^s\W]s (?:has|have) (?:[\w'.-]+ ){1,4}?"
    r"(?:been|gone|done|seen|read|made|taken|given|won|met|written|had|\w+ed)\b",
    "was": r"\b(?:did|was|were|had|used to)\b",
    "first_person": r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|im|ive)\b",
    "label": r"^\s*([^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30})?)\s*:\s+(?=\S)",
}  # fmt: skip


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_SOURCES[name], re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a cue's wording says about what would answer it."""

    intent: Intent
    question: bool
    statement: bool
    """A told sentence in the first person: what helps is what it touches, not what shares its words."""
    request: bool
    """It asks for work to be done, so standing instructions apply."""
    several: bool
    wants_time: bool
    wants_number: bool
    about_agent: bool
    about_past: bool
    about_present: bool
    """It says that what holds now is wanted."""
    past_tense: bool
    collects: bool
    """It asks for all there were, up to now: which countries somebody has been to."""
    about_own: bool
    """About what the asker did, has or is."""
    retrospective: bool
    """It looks back on what was said: an order, a summary, a development."""


def speaker_label(text: str) -> tuple[str, str]:
    """Splits "Name: what was said" into name and words; the name is empty when there is none."""
    found = _pattern("label").match(text[:120])
    return (found.group(1), text[found.end() :]) if found else ("", text)


def read_traits(text: str, content_words: int) -> Traits:
    """The traits of a cue; `content_words` counts its words beside function words and names."""
    text = text[:_MAX_READ].replace("’", "'")

    def says(name: str) -> bool:
        return _pattern(name).search(text) is not None

    question = is_question(text) or text.rstrip().endswith("?")
    request = says("request")
    wants_time = says("time")
    statement = not question and not request and says("first_person") and len(text.split()) >= 6
    collecting = question and says("several")
    several = (collecting and content_words <= FEW_WORDS) or (question and content_words < FEW_WORDS and not wants_time)
    intent: Intent = "lookup"
    if wants_time:
        intent = "temporal"
    elif says("cause"):
        intent = "causal"
    elif says("compare"):
        intent = "comparative"
    elif says("steps"):
        intent = "procedural"
    elif collecting or says("order") or not question:
        intent = "exploratory"
    elif content_words <= 1:
        intent = "entity"
    return Traits(
        intent=intent, question=question, statement=statement, request=request and not (says("own") and wants_time),
        several=several, wants_time=wants_time, wants_number=says("number"), about_agent=says("agent"),
        about_past=says("past") or (says("before") and not says("present")), about_present=says("present"),
        past_tense=says("was"), collects=question and says("collects"), about_own=says("own"),
        retrospective=says("order"),
    )  # fmt: skip
