"""The patterns and words by which ties between named things are spotted.

Owns the regular expressions, the verbs with what may follow them, and the words that cancel a tie; what a match
means is decided in relations. Compiled on first use, because importing Mnemon must stay fast. Invariant: every
pattern works within a bounded window, so reading a text is linear in its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from mnemon.text.facts import entity_cues
from mnemon.text.facts.relation_types import KIN
from mnemon.text.words.lexicon import words

_NAME: Final = r"[A-ZÀ-ÞŁŚŽČŠ][\w’'-]*(?: (?:(?:of|de|van|von|the|la) )?[A-ZÀ-ÞŁŚŽČŠ][\w’'-]*){0,4}"
_KIN_WORDS: Final = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))
_OWNER: Final = rf"(?:[Mm]y|[Oo]ur|[Tt]he user's|{_NAME}['’]s)"
_QUALITY: Final = r"(?:(?:best|good|close|old|older|younger|elder|little|big|twin|dear|new|eldest|youngest|first) )*"
_KIN_PHRASE: Final = rf"(?P<owner>{_OWNER}) {_QUALITY}(?P<kin>{_KIN_WORDS})\b"
_THING: Final = r"(?:[Tt]he|[Oo]ur|[Tt]his) \w[\w+#-]*(?:\.\w+)*(?: \w[\w+#-]*(?:\.\w+)*){0,2}"
LEFT_WINDOW: Final = 80
SENTENCE_WINDOW: Final = 300
_BE_CALLED: Final = r"(?:,? |['’]s name is |,? (?:is |was )?(?:named|called) | is )"


@cache
def kin_named() -> tuple[re.Pattern[str], ...]:
    """ "my sister Anna", "my dog is called Rex", "my sister's name is Anna"; and "Anna is my sister"."""
    return (
        re.compile(rf"\b{_KIN_PHRASE}{_BE_CALLED}(?P<name>{_NAME})"),
        re.compile(rf"\b(?P<name>{_NAME}),? (?:is|was|,) {_KIN_PHRASE}"),
    )


@cache
def subject() -> re.Pattern[str]:
    """A subject and up to three words after it, at the end of a stretch of text."""
    return re.compile(
        rf"(?:^|[\s,;:(\"“.!?])(?P<subject>{_OWNER} {_QUALITY}(?:{_KIN_WORDS})\b(?:,? {_NAME})?,?"
        rf"|I|[Ww]e|[Tt]he user|{_THING}|{_NAME})(?P<middle>(?:['’](?:m|ve|s|re))?,?(?: [a-z']+){{0,3}}) ?$"
    )


@cache
def kin_subject() -> re.Pattern[str]:
    return re.compile(rf"{_OWNER} {_QUALITY}(?:{_KIN_WORDS})\b,?(?: (?P<name>{_NAME}))?")


@cache
def another() -> re.Pattern[str]:
    return re.compile(rf"(?:, and |, | and | or | as well as )(?:the )?(?P<object>{_NAME}|[a-z+#]{{3,}})")


POSSESSIVE = re.compile(r"['’]s?$")
DETERMINER = re.compile(r"^(?:[Tt]he|[Oo]ur|[Tt]his) ")
BREAK = re.compile(r"[.!?]\s|\n")
SENTENCE_END = re.compile(r"[.!?\n]")
_NP: Final = r"(?:(?:the|a|an|my|our|his|her|their) )?(?P<object>[\w][\w’'+#&.-]*(?: [\w][\w’'+#&-]*){0,4})"
_NAMED_OBJECT: Final = rf"(?:the )?(?P<object>{_NAME})"
WORD = re.compile(r"[a-z]+")
JOINS: Final = (" and ", " but ", ", ")
JOINED: Final = words("and but or")
CONDITIONS: Final = words("if unless whether suppose imagine")
CONDITION_ENDS: Final = tuple([word] for word in CONDITIONS)
OPENERS: Final = entity_cues.PLAIN - words("i my our the this we i'm i've") | CONDITIONS
NOBODY: Final = entity_cues.PLAIN - words("i we")
TASTE: Final = words("like love enjoy adore likes loves enjoys hate hates own owns prefer prefers")
POSSESSED = re.compile(r"\b(?:my|his|her|our|their|your|its) $")
IS_A = re.compile(r"(?:\b(?:am|is|was|as)|['’](?:m|s)) (?:[\w-]+ ){0,4}$")
JOBS: Final = words(
    """
    engineer developer manager designer nurse teacher doctor director consultant analyst intern researcher
    accountant chef lawyer professor scientist architect assistant
    """
)
COPULA: Final = (" is ", "'s ", "’s ", " are ", "'m ", "’m ", " am ", " was ", " were ", " be ", "'re ", "’re ")
CANCELLING_ENDS: Final = ("n't ", "n’t ")
# A subject and its verb may have these between them without losing the tie.
BETWEEN: Final = words(
    """
    'm 've 's 're also now currently still just recently already really always both am is are was were has
    have had been be who that usually often actually mainly mostly finally officially happily absolutely
    do does totally so very
    """
)
CANCELS: Final = words(
    """
    not never no don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't would
    could might may should want wants wanted hope hopes hoping wish wishes plan plans planning if used
    formerly previously longer will gonna going to thinking considering dream dreams unless whether nobody
    """
)
STOP_OBJECT: Final = words(
    """
    because but when while since after before if so that which who where and or for at in on with from to
    by as until about is are was were has have had not very than then though although due during every
    each last next this these those again too also now today yesterday tomorrow instead more most much a
    an the it me him them us i you we they he she there here all lot lots of being going doing together
    lately recently into onto up out
    """
)


@dataclass(frozen=True, slots=True)
class _Verb:
    """What may follow a verb to make it a relation."""

    rest: re.Pattern[str]
    predicate: str
    confidence: float
    swap: bool = False


def _verb(after: str, predicate: str, confidence: float, *, thing: bool = False, swap: bool = False) -> _Verb:
    return _Verb(re.compile(after + (_NP if thing else _NAMED_OBJECT)), predicate, confidence, swap)


@cache
def verbs() -> dict[str, tuple[_Verb, ...]]:
    job = r"(?: as (?:a |an |the )?[\w -]{2,40}?)? (?:for|at) "
    past, sure, likely = 0.5, 0.9, 0.7
    table: tuple[tuple[str, tuple[_Verb, ...]], ...] = (
        ("work works working", (_verb(job, "works_for", sure), _verb(" on ", "works_on", likely),
                                _verb(" with ", "uses", 0.6))),
        ("worked", (_verb(job, "works_for", past),)),
        ("employed hired", (_verb(" (?:by|at) ", "works_for", sure),)),
        (" ".join(sorted(JOBS)), (_verb(" (?:at|for) ", "works_for", 0.8),)),
        ("live lives living reside resides based",
         (_verb(r"(?: alone| together| right)? (?:in|near) ", "lives_in", sure),
          _verb(" with ", "lives_with", likely))),
        ("lived", (_verb(" in ", "lives_in", past),)),
        ("moved relocated", (_verb(r"(?: back| out| over)? to ", "lives_in", likely),)),
        ("born", (_verb(" in ", "born_in", sure),)),
        ("come comes hails", (_verb(" from ", "comes_from", sure),)),
        ("studies study studying", (_verb(r"(?: [\w -]{2,30}?)? at ", "studies_at", sure),)),
        ("graduated", (_verb(r"(?: [\w -]{2,30}?)? from ", "graduated_from", sure),)),
        ("married", (_verb(r"(?: to)? ", "married_to", sure),)),
        ("engaged", (_verb(" to ", "partner_of", sure),)),
        ("dating", (_verb(" ", "partner_of", 0.8),)),
        ("manages manage", (_verb(" ", "manages", sure, thing=True),)),
        ("reports report", (_verb(" to ", "reports_to", sure),)),
        ("member", (_verb(" of ", "member_of", sure),)),
        ("belongs belong", (_verb(" to ", "member_of", 0.8),)),
        ("joined", (_verb(" ", "member_of", likely, thing=True),)),
        ("owns own", (_verb(" ", "owns", sure, thing=True),)),
        ("bought adopted purchased", (_verb(" ", "owns", likely, thing=True),)),
        ("founded created wrote invented designed developed authored composed", (_verb(" ", "created", sure),
         _verb(" by ", "created", sure, swap=True))),
        ("built made written", (_verb(" by ", "created", sure, swap=True),)),
        ("uses use using", (_verb(" ", "uses", 0.8, thing=True),)),
        ("switched migrated", (_verb(r"(?: from [\w .+#-]{1,30}?)? to ", "uses", likely),)),
        ("replaces replaced", (_verb(r" (?:[\w .+#-]{1,30} )?with ", "uses", 0.6), _verb(" ", "replaces", likely))),
        ("depends depend relies rely", (_verb(" on ", "depends_on", sure, thing=True),)),
        ("requires require", (_verb(" ", "depends_on", likely, thing=True),)),
        ("runs run running", (_verb(" on ", "runs_on", 0.8, thing=True),)),
        ("part", (_verb(" of ", "part_of", 0.8),)),
        ("located situated", (_verb(" in ", "located_in", sure),)),
        ("knows know", (_verb(" ", "knows", likely),)),
        ("met", (_verb(r"(?: with)? ", "knows", 0.6),)),
        ("visited visiting", (_verb(" ", "visited", sure),)),
        ("prefer prefers", (_verb(" ", "prefers", sure, thing=True),)),
        ("like likes love loves enjoy enjoys adore adores", (_verb(r"(?: to)? ", "likes", 0.8, thing=True),)),
        ("hate hates dislike dislikes loathe", (_verb(r"(?: to)? ", "dislikes", 0.8, thing=True),)),
        ("allergic", (_verb(" to ", "allergic_to", sure, thing=True),)),
        ("speak speaks", (_verb(" ", "speaks", 0.8),)),
        ("interested", (_verb(" in ", "interested_in", 0.8, thing=True),)),
        ("teach teaches taught", (_verb(r"(?: [a-z]+)? (?:at|for) ", "works_for", 0.6),)),
    )  # fmt: skip
    return {word: found for listing, found in table for word in listing.split()}
