"""What is said of work: that it is to be done, was done, was given up, was decided on, was found wanting.

Owns the reading of one sentence as such a word about work, and which names, paths, numbers and commands of a text are
to be kept letter by letter; the ways of saying it are data. Knows nothing of earlier sentences: whether two of them
speak of the same work is decided by who asks. Invariants: a question and a condition say nothing of work, unless they
ask for it; a sentence that is denied ("we are not done") is read as what its denial says, or as nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from palazzo.text.words import grammar
from palazzo.text.words.lexicon import page
from palazzo.text.words.parsed import parsed
from palazzo.text.words.tokens import terms

PlanSort = Literal["open", "cancelled", "done", "decided", "rejected", "resumed", "replaced"]
LONGEST: Final = 600
_CUED: Final[tuple[PlanSort, ...]] = ("cancelled", "done", "open")
_CLAUSE: Final = re.compile(r"[,;:]\s+")
_SHORT: Final = re.compile(r"(?<=wo)n't|(?<=ca)n't|n't")
_WOULD: Final = re.compile(r"'d(?= (?:be|like|love)\b)")
_HASTY: Final = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|must|need|wo|ca)nt\b", re.I)
_LETS: Final = re.compile(r"^(\W*(?:\w+,? )??)lets(?= \w)", re.IGNORECASE)
_AND: Final = re.compile(r",\s+(?:and\s+)?|\s+(?:and|plus|&|as well as)\s+")
_THEN: Final = re.compile(r"[,;]?\s+(?:and\s+)?(?:then|also)\s+|[,;]\s+(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_WORDS: Final = re.compile(r"[a-z]{3,}")
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINE: Final = re.compile(r"\n+\s*(?=[-*•]|\d+[.)]|\[)|\n{2,}|\n")


class PlanSign(msgspec.Struct, frozen=True, gc=False):
    """One word about work: what is said of it, the work, what takes its place, why, and the sentence as it was said."""

    sort: PlanSort
    matter: str
    sentence: str
    other: str = ""
    reason: str = ""
    alone: bool = True
    """Whether it counts where nothing was said of this work before."""
    pointing: bool = False
    """Whether the work is named only by pointing at what was said just before."""
    deed: str = ""
    """What was done with it, where only the very deed that was planned counts."""
    hinted: bool = False
    """Whether only words somewhere in the sentence say so, and no order opens it."""
    otherwise: PlanSign | None = None
    """What it says where nothing that is known is meant."""


class _Row(NamedTuple):
    sort: PlanSort
    pattern: re.Pattern[str]
    alone: bool
    unless: re.Pattern[str] | None
    by: str
    weak: bool


class _Reader(NamedTuple):
    rows: tuple[_Row, ...]
    pointing: re.Pattern[str]
    reason: re.Pattern[str]
    asked: re.Pattern[str]
    telling: re.Pattern[str]
    at_once: re.Pattern[str]
    conditional: re.Pattern[str]
    chance: re.Pattern[str]
    tag: re.Pattern[str]
    untold: re.Pattern[str]
    later: re.Pattern[str]
    generic: frozenset[str]
    light: frozenset[str]
    lead: re.Pattern[str]
    cues: Mapping[str, re.Pattern[str]]
    needed: re.Pattern[str]
    leads_on: re.Pattern[str]
    back: re.Pattern[str]
    acknowledged: re.Pattern[str]


@cache
def _reader() -> _Reader:
    listed = page("plans")

    def pattern(entry: str) -> re.Pattern[str]:
        return re.compile(listed.listing(entry), re.IGNORECASE)

    rows = tuple(
        _Row(
            row["sort"], re.compile(row["pattern"], re.IGNORECASE), row.get("alone", True),
            pattern(row["unless"]) if "unless" in row else None, row.get("by", ""), row.get("weak", False),
        )
        for row in listed.rows("rows")
    )  # fmt: skip
    light = (word for entry in ("verb", "done_verb") for word in _WORDS.findall(listed.listing(entry)))
    return _Reader(
        rows, re.compile(rf"^{listed.listing('pointing')}[.!]*$", re.IGNORECASE), pattern("reason"), pattern("asked"),
        pattern("telling"), pattern("at_once"),
        pattern("conditional"), pattern("chance"), pattern("tag"), pattern("untold"),
        pattern("later"),
        frozenset(term for word in listed.words("generic") for term in terms(word)),
        frozenset(term for word in light for term in terms(word)), pattern("lead"),
        {sort: _cue_pattern(listed.listings("cues")[sort]) for sort in _CUED},
        _cue_pattern(listed.listing("needed")), pattern("leads_on"), pattern("back"), pattern("acknowledged"),
    )  # fmt: skip


def plan_signs(text: str, role: str = "user") -> tuple[PlanSign, ...]:
    """Every word about work in a turn, in order; what stands in a block of code is none."""
    return tuple(sign for sentence in said_sentences(text) if (sign := plan_sign(sentence, role)) is not None)


def said_sentences(text: str) -> Iterator[str]:
    """The sentences of a turn, line by line, without blocks of code."""
    for line in _LINE.split(_FENCE.sub("\n", text)):
        if line.strip():
            for sentence in parsed(line.strip()).sentences:
                if told := sentence.text.strip():
                    yield told


def planned_parts(sentence: str, role: str = "user") -> tuple[str, ...]:
    """The works that a sentence tells one after the other, each in its words; one alone is the sentence itself."""
    cuts = [(0, 0), *(found.span() for found in _THEN.finditer(sentence)), (len(sentence), len(sentence))]
    parts: list[tuple[int, int]] = []
    for (_, start), (end, _) in pairwise(cuts):
        alone = not parts or (_is_work(sentence[start:end], role) and _stands(sentence[slice(*parts[-1])], role))
        parts.append((start if alone else parts.pop()[0], end))
    return tuple(sentence[start:end].strip() for start, end in parts) if len(parts) > 1 else (sentence,)


def _is_work(part: str, role: str) -> bool:
    """Whether a part tells work by itself, whatever was said before it."""
    return _stands(part, role, hinted=False) and not _reader().back.search(part)


def _stands(part: str, role: str, *, hinted: bool = True) -> bool:
    """Whether a part is work of its own, and not a way to what follows."""
    sign = plan_sign(part, role)
    told = sign is not None and sign.sort in ("open", "replaced") and not sign.pointing and (hinted or not sign.hinted)
    return told and len(parsed(part).content_terms) > 1 and not _reader().leads_on.match(part)


def supposes(sentence: str) -> bool:
    """Whether it asks, or tells what would be if something else were: then it says nothing of work."""
    told = sentence.strip()
    return told.endswith("?") or _reader().conditional.match(told) is not None


def wants_answer(sentence: str) -> bool:
    """Whether it asks for nothing but an answer, which comes with the next turn."""
    reader = _reader()
    told = reader.lead.sub("", sentence.strip(), count=1)
    asks = told.endswith("?") and not reader.asked.search(told)
    return asks or reader.telling.match(told) is not None


def acknowledges(sentence: str) -> bool:
    """Whether it says no more than that something was heard: "got it" is no deed."""
    return _reader().acknowledged.match(sentence.strip()) is not None


def is_answered(sentence: str) -> bool:
    """Whether all it asks for is told at once: "read me the last error", "let us work on it now"; "help me" is work."""
    reader = _reader()
    return reader.at_once.match(reader.lead.sub("", sentence.strip(), count=1)) is not None


def plan_sign(sentence: str, role: str) -> PlanSign | None:
    """The word about work that a sentence is, if it is one."""
    reader = _reader()
    told = _WOULD.sub(" would", parsed(sentence).gloss.replace("’", "'"))[:LONGEST].strip()
    told = _LETS.sub(r"\1let's", _HASTY.sub(r"\1n't", told))
    told = reader.tag.sub(".", told)
    if told.endswith("?") and not reader.asked.search(told):
        return None
    if is_answered(told):
        return None
    at_a_chance = _at_a_chance(reader, sentence, told, role)
    if at_a_chance is not None or reader.conditional.match(told):
        return at_a_chance
    main = reader.reason.split(told, maxsplit=1)
    read, reason = reader.later.sub("", main[0]).strip(" ,"), main[1].strip(" .") if len(main) > 1 else ""
    for row in reader.rows:
        if row.by and row.by != role:
            continue
        found = row.pattern.match(read)
        if found is None or (
            row.unless is not None and row.unless.search(read if row.sort == "resumed" else _beside(found))
        ):
            continue
        if row.sort == "open" and reader.untold.search(read):
            return None  # it speaks of work that was given up
        groups = found.groupdict()
        matter = (groups.get("matter") or groups.get("matter1") or groups.get("matter2") or "").strip(" .,!:;?")
        other = (groups.get("other") or "").strip(" .,!:;?")
        if row.sort == "open" and matter:
            matter = read[found.start("matter") :].strip(" .,!:;?")  # what follows may name what it is about
        if (
            row.sort == "done"
            and (inner := plan_sign(matter, role) if matter else None) is not None
            and inner.sort == "done"
        ):
            return replace(inner, sentence=sentence, reason=reason or inner.reason)
        points = not matter or reader.pointing.match(matter) is not None
        if row.sort == "open" and reader.telling.match(matter):
            return None  # what is asked for is an answer, which comes with the next turn
        sign = PlanSign(row.sort, matter, sentence, other, reason, row.alone, points, groups.get("deed") or "")
        if sign.sort == "decided" and (inner := plan_sign(matter, "user")) is not None and inner.sort in _CUED:
            return replace(sign, otherwise=replace(inner, sentence=sentence))  # what is decided is said of work
        if row.sort == "cancelled" and not row.alone and reader.needed.search(told):
            return replace(sign, otherwise=PlanSign("open", told, sentence, hinted=True))
        hinted = _by_cues(sentence, told, role) if row.weak else None
        if hinted is not None and sign.deed and hinted.sort == "open":
            return hinted
        if hinted is not None and (hinted.sort == "cancelled" or (sign.deed and hinted.sort == "done")):
            return replace(hinted, otherwise=sign)
        return sign
    return _by_cues(sentence, told, role)


def _at_a_chance(reader: _Reader, sentence: str, told: str, role: str) -> PlanSign | None:
    """What is to be done when there is time for it; any other condition says nothing of work."""
    chance = reader.chance.match(told)
    meant = plan_sign(told[chance.end() :], role) if chance is not None else None
    return replace(meant, sentence=sentence) if meant is not None and meant.sort == "open" else None


def _by_cues(sentence: str, told: str, role: str) -> PlanSign | None:
    """What the words of a sentence hint at, wherever they stand: of work that is known, or to be done for the user."""
    reader = _reader()
    if len(parsed(told).content_terms) < 2:
        return None
    if told.endswith("?"):  # one that asks for work, for others are read no further
        return PlanSign("open", told, sentence, hinted=True) if role == "user" else None
    whole = _SHORT.sub(" not", told)
    heard = [sort for sort in _CUED if reader.cues[sort].search(whole)]
    if role != "user":  # what an assistant takes up or gives up it says so
        heard = [sort for sort in heard if sort == "done"]
    bare = reader.lead.sub("", told, count=1)
    if (
        not heard
        and role == "user"
        and not reader.telling.match(bare)
        and any(_orders(reader.lead.sub("", part, count=1)) for part in _CLAUSE.split(bare))
    ):
        heard = ["open"]
    if not heard or (heard[0] == "open" and reader.untold.search(told)):
        return None
    hinted = not (_orders(_CLAUSE.split(bare, maxsplit=1)[0]) or reader.needed.search(whole))
    work = PlanSign("open", told, sentence, hinted=hinted) if "open" in heard and heard[0] != "open" else None
    return PlanSign(heard[0], told, sentence, alone=heard[0] == "open", hinted=hinted, otherwise=work)


_CLOSED: Final = (
    grammar.DET | grammar.POSS | grammar.SUBJ | grammar.PRON | grammar.PREP | grammar.COORD | grammar.SUBORD
    | grammar.WH | grammar.AUX | grammar.ADV | grammar.NEG | grammar.NUM | grammar.PUNCT
)  # fmt: skip


def _orders(told: str) -> bool:
    """Whether it opens with a verb in its bare form: a word of no closed class right before what it is done with."""
    found = parsed(told).tokens
    if len(found.words) < 3:
        return False
    first, second = found.bits[0], found.bits[1]
    verb = found.words[0].replace("-", "")
    if (first & _CLOSED and not first & grammar.DO) or not verb.isalpha():
        return False
    if first & grammar.BASE:
        return bool(second & (grammar.DET | grammar.POSS)) or not second & (grammar.VERB | grammar.AUX)
    if first & (grammar.PAST | grammar.PARTICIPLE):
        return False  # "spent an hour"; nor does a name open an order: "Mrs Holm's boathouse"
    return bool(second & (grammar.DET | grammar.POSS)) and "'" not in found.lower[1]


def _cue_pattern(listing: str) -> re.Pattern[str]:
    """Phrases between commas as one expression."""
    phrases = (" ".join(one.split()) for one in listing.split(",") if one.strip())
    words = {"*": r"(?:\S+\s+){0,5}?", "be": r"(?:is|are|was|were|be|been|'s|'re)\s+"}
    made = ("".join(words.get(word, re.escape(word) + r"\s+") for word in one.split()) for one in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(one.removesuffix(chr(92) + 's+') for one in made)})(?!\w)", re.IGNORECASE)


def _beside(found: re.Match[str]) -> str:
    """What is said of the work, without the words that name it."""
    start, end = found.span("matter") if "matter" in found.re.groupindex else (-1, -1)
    return found[0] if start < 0 else f"{found[0][:start]} {found[0][end:]}"


def matter_terms(text: str) -> frozenset[str]:
    """The words by which work is recognised again: without those that any work is spoken of with."""
    return frozenset(parsed(text).content_terms) - _reader().generic


def matter_pairs(text: str) -> frozenset[tuple[str, str]]:
    """The words beside each other by which something is named ("webhook signer"), without what is between."""
    found = [term for term in parsed(text).content_terms if term not in _reader().generic]
    return frozenset(pairwise(found))


def matters_in(matter: str) -> tuple[str, ...]:
    """The works that a list of them names, one by one; one alone is itself."""
    return tuple(part.strip() for part in _AND.split(matter) if part.strip())


def is_light(term: str) -> bool:
    """Whether a word says what is done with something and not what it is done with."""
    return term in _reader().light


def shared_matter(said: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """The words that both have; none where those only say what is done with something."""
    both = said & held
    return frozenset() if all(map(is_light, both)) and not all(map(is_light, held)) else both


def figures(words: frozenset[str]) -> frozenset[str]:
    """The words that are figures, or hold one: where two works have none in common, they are two."""
    return frozenset(word for word in words if any(sign.isdigit() for sign in word))


_KEPT: Final = re.compile(
    r"""`(?P<code>[^`\n]{2,120})`
    |(?P<url>https?://[^\s<>"')\]]+)
    |(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)
    |(?P<path>(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]+)*/?|\b[\w.@+-]+(?:/[\w.@+-]+)+\.\w{1,8}\b
        |\b[a-zA-Z][\w.-]*(?:/[\w.-]+)*/[\w.]*[-_\d][\w.-]*
        |\b[\w-]+\.(?:py|ts|tsx|js|rs|go|md|toml|ya?ml|json|sql|sh|c|h|cpp|java|rb|css|html|txt|csv|lock|cfg|ini|db)\b)
    |(?P<ticket>\b[A-Z][A-Z0-9]{1,9}-\d+\b|(?<![\w&])\#\d+\b)
    |(?P<variable>\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b)
    |(?P<hash>\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b)
    |(?P<version>\bv?\d+\.\d+\.\d+(?:[-.+]\w+)*\b)
    |(?P<address>\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\blocalhost:\d+\b|\bport\s+(?:is\s+)?\d{2,5}\b)
    |(?P<name>\b[a-zA-Z]\w*(?:_\w+)+(?:\(\))?|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w+(?:\.\w+)+\(\)|\b[a-z]+(?:-[a-z0-9]+){1,4}-?\d+\b)""",
    re.VERBOSE,
)  # fmt: skip


def kept_words(text: str) -> tuple[str, ...]:
    """Names, paths, numbers and codes of a text that are worthless unless they are kept letter by letter."""
    found: dict[str, None] = {}
    for match in _KEPT.finditer(text):
        word = next(value for value in match.groups() if value)
        found.setdefault(word.rstrip(".,;:"))
    return tuple(found)
