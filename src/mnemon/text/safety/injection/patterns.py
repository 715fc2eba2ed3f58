"""The form of an injection rule, and the vocabulary its patterns share.

A rule is tried when one of its marks stands in the text. Its pattern is written one alternative a line; `<NAME>`
stands for an entry of VOCABULARY. Patterns over "words" see lower case with everything that is not a letter or digit
squeezed to one space ("don't" reads "don t"); patterns over "raw" see lower case with punctuation in place; every line
of a rule of "parts" must be found in one sentence, of "pairs" in two that follow each other. Gaps are counted, never
open, so matching stays linear. Weights are judgements: how often such a sentence, alone, is an attack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

VOCABULARY = {
    "IGNORE": r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overwrite|bypass|discard|"
    r"neglect(?:ing)?|abandon|"
    r"circumvent|overrule|set aside|put aside|stop (?:following|obeying)|(?:do not|don t) (?:follow|obey|"
    r"listen to|adhere to|"
    r"comply with)|pay no attention to|take no notice of|no longer (?:follow|obey|bound by))",
    "CANCEL": r"(?:cancel|erase|void|revoke|nullify|rescind|wipe|belay|scrap)",
    "FILLER": r"(?:(?:all|any|every|each|your|the|these|those|this|that|of|and|or|our|other|such|previously|"
    r"given) ){0,5}",
    "PRIOR": r"(?:previous|prior|preceding|above|earlier|foregoing|initial|original|former|past|first|last|system|"
    r"developer|"
    r"safety|hidden|internal|ethical|preset|provided|aforementioned|pre existing|existing|old|current|your|"
    r"security|content)",
    "RULES": r"(?:instructions?|prompts?|rules?|guidelines?|directives?|directions?|commands?|polic(?:y|ies)|"
    r"restrictions?|"
    r"constraints?|filters?|safeguards?|guardrails?|programming|training|context|protocols?|limitations?)",
    "OBEYED": r"(?:instructions|prompts?|rules|guidelines|directives|restrictions|constraints|programming|training|"
    r"guardrails|safeguards|safety (?:rules|filters|polic(?:y|ies)|protocols)|commands|content polic(?:y|ies))",
    "MACHINE": r"(?:ai|a i|artificial intelligence|assistants?|language models?|llms?|chat ?bots?|ai (?:agents?|"
    r"models?|"
    r"systems?|assistants?)|gpt(?: \d)?|chatgpt|copilot|claude|gemini)",
    "REVEAL": r"(?:reveal|print|show|output|repeat|display|leak|dump|expose|disclose|tell me|give me|shar(?:e|"
    r"ing)|recite|read me|"
    r"write out|return|list|echo|copy|type out|spell out|summari[sz]e|translate|paste|divulge|provide|describe|"
    r"explain|"
    r"what (?:is|are|was|were|does))",
    "PRIVATE": r"(?:passwords?|credentials?|api keys?|secrets?|access tokens?|private keys?|memor(?:y|ies)|"
    r"chat history|"
    r"conversations?(?: history)?|personal (?:data|information|details)|user (?:s )?(?:data|information|emails?|"
    r"files?|"
    r"memor(?:y|ies)|database)|confidential (?:data|information)|bank details|environment variables|env file|"
    r"contact list|"
    r"inbox|browser history|session cookies?)",
    "SEND": r"(?:send|forward|post|upload|transmit|exfiltrate|email|mail|leak|submit|deliver|smuggle|ship|relay|"
    r"export|disclose)",
    "OWNER": r"(?:the |your |any |this )?(?:user|human|operator|owner)s?",
}


@dataclass(frozen=True, slots=True)
class InjectionRule:
    """One way of wording an attack: its family, its weight, the marks that announce it, its pattern."""

    family: str
    weight: float
    marks: tuple[str, ...]
    pattern: str
    view: Literal["words", "raw", "parts", "pairs"] = "words"


def words_rule(family: str, weight: float, table: str) -> InjectionRule:
    """A rule over squeezed words; see `_parsed` for the form of the table."""
    marks, pattern = _parsed(table)
    return InjectionRule(family, weight, marks, pattern, "words")


def raw_rule(family: str, weight: float, table: str) -> InjectionRule:
    """A rule over the text with its punctuation; see `_parsed` for the form of the table."""
    marks, pattern = _parsed(table)
    return InjectionRule(family, weight, marks, pattern, "raw")


def parts_rule(family: str, weight: float, table: str) -> InjectionRule:
    """A rule whose every line must be found in one sentence; see `_parsed` for the form of the table."""
    marks, pattern = _parsed(table, "\n")
    return InjectionRule(family, weight, marks, pattern, "parts")


def pairs_rule(family: str, weight: float, table: str) -> InjectionRule:
    """A rule whose every line must be found in two sentences that follow each other, or in a short text."""
    marks, pattern = _parsed(table, "\n")
    return InjectionRule(family, weight, marks, pattern, "pairs")


def _parsed(table: str, joined: str = "|") -> tuple[tuple[str, ...], str]:
    """Marks and pattern: lines "marks: a, b" (␣ for a blank at an end), then one alternative, or part, a line.

    A line that ends in a backslash goes on in the next.
    """
    lines = [line.strip() for line in re.sub(r"\\\n\s*", "", table).splitlines() if line.strip()]
    marks = ",".join(line.removeprefix("marks:") for line in lines if line.startswith("marks:"))
    alternatives = joined.join(line for line in lines if not line.startswith("marks:"))
    return (
        tuple(mark.strip().replace("␣", " ") for mark in marks.split(",") if mark.strip()),
        re.sub(r"<([A-Z]+)>", lambda match: VOCABULARY[match[1]], alternatives),
    )
