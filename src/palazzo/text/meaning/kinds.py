"""What kind of statement a text is, how much it matters and how long it will, and how it feels.

Owns the decision over cue phrases: kind, importance 0..1, durability, confidence, and the reasons for them; and two
yes-or-no readings that recall and intake use alone. Owns affect, valence from -1 to 1 and intensity from 0 to 1:
lexicon words, flipped by a negation before them, scaled by intensifiers; emoji; emphasis; urgency and correction. Knows
the table of kinds, nothing of what is stored. Invariants: every text gets a kind of the table, and every figure names
the cues it came from; a text without a marker of feeling reads as (0, 0).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import msgspec

from palazzo.model.kinds import KINDS, Durability
from palazzo.model.memory import Affect
from palazzo.text.meaning.message import orders, says_who
from palazzo.text.words.cues import SPEAKER, CueHit, CueTable, cue_terms, listed_cues
from palazzo.text.words.lexicon import ENGLISH, EVERY_LANGUAGE, Page, has_page, page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import STOP_WORDS, fold, terms

_PAGE: Final = page("kinds")


class Classification(msgspec.Struct, frozen=True, gc=False):
    """The kind of a statement, how much it matters, how long it holds, and why that was decided."""

    kind: str
    importance: float
    durability: Durability
    confidence: float
    reasons: tuple[str, ...]


# Where two kinds have equal cues the one named first wins: what binds the reader before what merely happened.
_ORDER: Final = (
    "instruction", "identity", "error", "decision", "residence", "employment", "preference", "relationship", "task",
    "procedure", "event", "reflection", "activity", "context", "fact", "transient",
)  # fmt: skip
_RANK: Final = {kind: at for at, kind in enumerate(_ORDER)}
_IMPORTANCE: Final = {
    "instruction": 0.9, "identity": 0.8, "decision": 0.7, "residence": 0.7, "employment": 0.7, "relationship": 0.65,
    "preference": 0.6, "task": 0.6, "procedure": 0.55, "error": 0.5, "event": 0.5, "fact": 0.45, "reflection": 0.45,
    "activity": 0.4, "context": 0.25, "transient": 0.05,
}  # fmt: skip
_RAISE: Final = {"deadline": 0.15, "life event": 0.15, "constraint": 0.1, "hedge": -0.1, "season": 0.0}
_ECHO: Final = 0.3  # a second cue for the same kind adds less than the first
_OF_THE_USER: Final = 4.0
"""Above any one cue: how somebody is called and how answers are to be hold for every message to come."""
_DEFAULT_FACT: Final = 0.9
_DOING: Final = 1.2
_DONE: Final = 1.0
_MAX_READ: Final = 4000
_STANDING: Final = "standing"

_QUESTION_END = re.compile(r"\?[\s\"'”’)*_]*$")
_LONG_QUESTION: Final = 200
"""Characters."""
_STATEMENT = re.compile(r"[^.!?\n]*[.!\n]+")
_BEFORE: Final = "so|and|but|hey|hi|ok|okay|well|also|now"
_ASKED: Final = "what|who|whom|whose|where|when|why|how|which"
_TURNED: Final = "can|could|would|will|do|does|did|is|are|was|were|have|has|should|may|shall|am"
_ASKING = re.compile(
    rf"(?:(?:{_BEFORE})[, ]+)?(?:(?:{_ASKED})"
    r"(?:'s|’s| (?:is|are|was|were|do|does|did|can|could|should|would|will|have|has|many|much|long|often|about|if)\b)"
    rf"|(?:{_TURNED}) (?:you|i|we|he|she|they|it|this|that|there|anyone|someone|the|my|your)\b)",
    re.IGNORECASE,
)
_ASKING_OPENS = re.compile(rf"(?:{_BEFORE}|{_ASKED}|{_TURNED})\b", re.IGNORECASE)
_PROGRESSIVE = re.compile(
    r"(?:\b(?:am|is|are|been)|['’](?:m|s|re)) (?:\w+ly |also |still |now |just |all |always )?"
    r"(?!going|amazing|exciting|interesting|inspiring|loving|rewarding|charming|something|nothing|everything)\w{2,}ing\b"
)
_WENT: Final = _PAGE.words("went")
_NO_PAST: Final = _PAGE.words("no_past")
# After these a participle describes; elsewhere it tells what happened.
_DESCRIBING: Final = _PAGE.words("describing")
# These state a taste as often as a wish about behaviour; the kind is then decided by the other cues.
_TASTE_TOO: Final = frozenset(
    f"{who} prefer" for who in ("i", "we", "i also", "i really", "i much", "i generally", "i usually", "i strongly")
)
# "I have always loved it" tells of the speaker; "always cite sources" tells the reader what to do.
_NARRATORS: Final = _PAGE.words("narrators")


def _listed(text: str) -> tuple[Page, str]:
    """The cues of the language a text is in, and the text; of English, and what it is there, where it has none."""
    language = parsed(text).language
    if has_page("kinds", language):
        return page("kinds", language), text
    return page("kinds", ENGLISH), parsed(text).gloss


def _standing_cues(listed: Page) -> dict[str, list[tuple[float, str]]]:
    """The cues of a standing instruction: those listed, and the verbs of command after a word that makes them last."""
    commands = listed.listing("commands").split()
    leads = listed.listing("command_leads").split()
    found = [listed.listing("standing"), *(",".join(f"{lead} {word}" for word in commands) for lead in leads)]
    return {_STANDING: [(1.0, listing) for listing in found]}


@cache
def _statement_table(listed: Page) -> CueTable:
    """Kinds and marks, matched in one pass. 3 decides alone, 2 is strong, 1 is a hint."""
    return CueTable(
        {**listed_cues(listed, "kinds"), **listed_cues(listed, "marks"), **_standing_cues(listed)}, listed.language
    )


@cache
def _durable_table(listed: Page) -> CueTable:
    """Lasting first-person statements. Weight 2 speaks for itself; weight 1 needs company or some length."""
    return CueTable(listed_cues(listed, "durable"), listed.language)


def is_question(text: str) -> bool:
    """Whether a text asks and states nothing beside it."""
    text = text[:_MAX_READ].strip()
    if "?" in text and _QUESTION_END.search(text):
        return not any(len(part.split()) >= 4 for part in _STATEMENT.findall(text))
    return "." not in text and "!" not in text and "\n" not in text and _opens_as_question(text)


def only_asks(text: str) -> float:
    """How far a text only asks: 1 for a short question, nothing for a long one, which tells what it asks about."""
    if len(text) >= _LONG_QUESTION or not is_question(text):
        return 0.0
    return min(1.0, 2 - 2 * len(text) / _LONG_QUESTION)


@cache
def _openings(language: str) -> tuple[str, ...]:
    """How a question opens in a language, without accents, which are often left out."""
    listing = page("asking", EVERY_LANGUAGE).listings("opening").get(language, "")
    return tuple(f"{fold(' '.join(phrase.split()))} " for phrase in listing.split(",") if phrase.strip())


@cache
def _first_words() -> frozenset[str]:
    """Those that questions open with in any language."""
    listed = page("asking", EVERY_LANGUAGE).listings("opening")
    return frozenset(phrase.split(" ", 1)[0] for language in listed for phrase in _openings(language))


def may_open(word: str) -> bool:
    """Whether a question without a question mark may open with this word, in any language."""
    return _ASKING_OPENS.match(word) is not None or word.lower() in _first_words()


def _opens_as_question(text: str) -> bool:
    asks = _ASKING.match(text) is not None
    said = text if text.isascii() else fold(text)
    if not asks and (not (first := said.split(None, 1)) or first[0].lower() not in _first_words()):
        return False  # whatever language it is in, which takes longer to tell
    opening = " ".join(said.lower().split(None, 4)[:4]) + " "
    language = parsed(text).language
    if language == ENGLISH:
        return asks
    return opening.startswith(_openings(language)) and "," not in text


def _standing(hits: list[CueHit], found: tuple[str, ...]) -> CueHit | None:
    """The first cue of a standing instruction that is not a story about the speaker."""
    for hit in hits:
        if hit.label != _STANDING:
            continue
        before = found[max(0, hit.at - 2) : hit.at]
        if found[hit.at] in ("alway", "never") and not _NARRATORS.isdisjoint(before):
            continue
        return hit
    return None


def is_durable_statement(text: str) -> bool:
    """Whether a speaker states something lasting about themselves: decision, goal, value, limit, health, habit."""
    if is_question(text):
        return False
    listed, read = _listed(text[:_MAX_READ])
    found = cue_terms(read, listed.language)
    if "i" not in found and "we" not in found:
        return False
    hits = _durable_table(listed).hits(found)
    if any(hit.weight > 1.0 for hit in hits):
        return True
    return len({hit.at for hit in hits}) > 1 or bool(hits and len(found) > 8)


def classify(text: str) -> Classification:
    """Kind, importance, durability and confidence of one statement, with the reasons."""
    text = text[:_MAX_READ]
    listed, read = _listed(text)
    found = cue_terms(read, listed.language)
    hits = _statement_table(listed).hits(found)
    question = is_question(text)
    scores, reasons = _scores(text, hits, found, question=question)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], _RANK[item[0]]))
    kind, best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    marks = {hit.label: hit.phrase for hit in hits if hit.label not in _RANK and hit.label != _STANDING}
    importance = _importance(kind, marks, question=question)
    confidence = round(min(0.95, 0.35 + 0.15 * min(best, 3.0) + 0.1 * min(best - second, 2.0)), 2)
    why = [f"{kind}: {reason}" for reason in reasons.get(kind, ("no cue",))[:3]]
    why += [f"{mark}: “{phrase}”" for mark, phrase in marks.items()]
    return Classification(kind, importance, _durability(kind, marks), confidence, tuple(why))


def _scores(
    text: str, hits: list[CueHit], found: tuple[str, ...], *, question: bool
) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Weight of evidence for each kind: the strongest cue in full, further ones as an echo."""
    content = len(found) - sum(map(STOP_WORDS.__contains__, found))
    # The small words of other languages are no cues, and their small talk is told before by its words.
    enough = 2 if found[:1] == (SPEAKER,) or parsed(text).language != ENGLISH else 3
    says_something = content >= enough
    scores = {"fact" if says_something else "transient": _DEFAULT_FACT}
    reasons: dict[str, list[str]] = {}
    places: dict[tuple[str, int], CueHit] = {}
    for hit in hits:
        if hit.label in _RANK and hit.weight > getattr(places.get((hit.label, hit.at)), "weight", 0.0):
            places[hit.label, hit.at] = hit
    for hit in sorted(places.values(), key=lambda one: -one.weight):
        known = scores.get(hit.label, 0.0)
        scores[hit.label] = known + _ECHO * hit.weight if hit.label in reasons else max(known, hit.weight)
        reasons.setdefault(hit.label, []).append(f"“{hit.phrase}”")
    for kind, speaks in (("identity", says_who), ("instruction", orders)):
        if speaks(text):
            scores[kind] = max(scores.get(kind, 0.0), _OF_THE_USER)
            reasons.setdefault(kind, []).append("who the user is" if kind == "identity" else "how to answer")
    standing = _standing(hits, found)
    if standing is not None and standing.phrase not in _TASTE_TOO:
        scores["instruction"] = scores.get("instruction", 0.0) + 2.0
        reasons.setdefault("instruction", []).append(f"“{standing.phrase}”")
    elif "instruction" in scores and not orders(text):
        scores["instruction"] *= 0.6
    if says_something and max(scores.values()) <= _DOING:
        gloss = parsed(text).gloss
        if scores.get("activity", 0.0) < _DOING and _PROGRESSIVE.search(gloss):
            scores["activity"] = _DOING
            reasons.setdefault("activity", []).append("is doing")
        if scores.get("event", 0.0) < _DONE and _tells_of_the_past(gloss):
            scores["event"] = _DONE
            reasons.setdefault("event", []).append("past tense")
    if question:
        scores["context"] = scores.get("context", 0.0) + 3.5
        reasons.setdefault("context", []).append("a question")
    if "transient" in scores and content > 5:
        scores["transient"] *= 0.5
    return scores, reasons


def _tells_of_the_past(text: str) -> bool:
    before = ""
    for word in text.lower().split():
        bare = word.rstrip(".,!?;:)\"'")
        happened = bare in _WENT or (bare.endswith("ed") and len(bare) > 4 and bare not in _NO_PAST)
        if happened and before.replace("’", "'") not in _DESCRIBING:
            return True
        before = word
    return False


def _importance(kind: str, marks: dict[str, str], *, question: bool) -> float:
    value = _IMPORTANCE[kind] + sum(_RAISE.get(mark, 0.0) for mark in marks)
    if "health or safety" in marks and not question:
        value = max(value, 0.9)
    if "asked to be remembered" in marks and not question:
        value = max(value, 0.9)
    return round(max(0.0, min(1.0, value)), 2)


def _durability(kind: str, marks: dict[str, str]) -> Durability:
    if "asked to be remembered" in marks and kind != "transient":
        return "permanent"
    if kind == "identity" and "health or safety" in marks:
        return "permanent"
    if "season" in marks and kind not in ("instruction", "transient", "context"):
        return "semester"
    return KINDS[kind].durability


_AFFECT: Final = page("affect")


def _weighted(entry: str) -> dict[str, float]:
    """Word to figure; the first figure a word is listed under counts."""
    return {word: float(figure) for word, figure in _AFFECT.labelled(entry).items()}


_EMOTICONS: Final = _weighted("emoticons")
# Two terms that feel other than each of them: "passed away", "can't wait".
_PAIRS: Final[Mapping[tuple[str, ...], float]] = {
    tuple(pair.split()): float(valence)
    for valence, pairs in _AFFECT.listings("pairs").items()
    for pair in pairs.split(",")
}
_PAIR_STARTS: Final = frozenset(first for first, _ in _PAIRS)
_INTENSIFIERS: Final = _weighted("intensifiers")
_NEGATIONS: Final = _AFFECT.words("negations")
# Right before a word it negates it; further off it is an answer: "no, that is wrong".
_NEAR_NEGATION: Final = "no"
_URGENCY: Final = _AFFECT.words("urgency")
_CORRECTION: Final = _AFFECT.words("correction")
_SHOUT = re.compile(r"\b[A-Z]{3,}\b")
_STRETCHED: Final = tuple(letter * 3 for letter in "aehilmnosuy")
_EMOTICON = re.compile(r"(?<!\w)(?:>?:'?-?[()/dDpP]|<3|</3|;\)|[xX]D|\^\^)(?!\w)")
_NEGATION_REACH: Final = 3
_MAX_TERMS: Final = 2000  # a document's mood is in its opening; the rest would only cost time


@cache
def _valences() -> dict[str, float]:
    """Term to valence; computed once, because stems need the stemmer."""
    found: dict[str, float] = {}
    for valence, listing in _AFFECT.listings("valence").items():
        for word in listing.split():
            for term in terms(word)[:1]:
                found.setdefault(term, float(valence))
    for sign, valence in _AFFECT.labelled("emoji").items():
        found.setdefault(sign.rstrip("\ufe0f"), float(valence))
    found.pop(_NEAR_NEGATION, None)
    return found


def read_affect(text: str) -> Affect:
    """The feeling a text expresses."""
    found = parsed(text).terms[:_MAX_TERMS]
    scores = _word_scores(found)
    if ":" in text or "<3" in text or ";)" in text or "XD" in text or "^^" in text:
        scores += [_EMOTICONS.get(sign.lower(), 0.0) for sign in _EMOTICON.findall(text[:10_000])]
    urgent = not _URGENCY.isdisjoint(found)
    if not scores and not urgent:
        return Affect()
    valence = _blend(scores)
    strength = max(map(abs, scores), default=0.0)
    emphasis = _emphasis(text[:10_000]) if scores else 0.0
    corrected = len(_CORRECTION.intersection(found)) > 1
    intensity = min(1.0, strength * (0.6 + emphasis) + 0.25 * urgent + 0.1 * corrected)
    if corrected or (urgent and not scores):
        valence = min(valence, valence - 0.15)
    return Affect(round(max(-1.0, min(1.0, valence)), 3), round(intensity, 3))


def _word_scores(found: Sequence[str]) -> list[float]:
    """Signed valence of each feeling word after negation and intensifiers."""
    scores: list[float] = []
    skipped = -1
    for at, alone in _marked(found):
        if at == skipped:
            continue
        valence = alone
        pair = _PAIRS.get((found[at], found[at + 1])) if at + 1 < len(found) else None
        if pair is not None:
            valence, skipped = pair, at + 1
        before = found[max(0, at - _NEGATION_REACH) : at]
        for word in before[-2:]:
            valence *= _INTENSIFIERS.get(word, 1.0)
        if not _NEGATIONS.isdisjoint(before) or before[-1:] == (_NEAR_NEGATION,):
            # "not great" is mildly bad, "not bad" is mildly good: negation turns and weakens.
            valence *= -0.5
        if valence:
            scores.append(valence)
    return scores


def _marked(found: Sequence[str]) -> list[tuple[int, float]]:
    """Positions of feeling words and of words that may begin a pair."""
    valences, starts = _valences(), _PAIR_STARTS
    return [(at, valences.get(term, 0.0)) for at, term in enumerate(found) if term in valences or term in starts]


def _blend(scores: list[float]) -> float:
    """Mean of the scores, the strong ones counting more: one death outweighs two nice days."""
    weight = sum(map(abs, scores))
    return sum(score * abs(score) for score in scores) / weight if weight else 0.0


def _emphasis(text: str) -> float:
    """0 to 0.4 from exclamation marks, shouted and stretched words."""
    value = min(0.2, 0.1 * text.count("!"))
    if text.isupper():
        value += 0.2 if len(text) > 10 else 0.0
    elif _SHOUT.search(text):
        value += 0.1
    lower = text.lower()
    if any(three in lower for three in _STRETCHED):
        value += 0.1
    return min(0.4, value)
