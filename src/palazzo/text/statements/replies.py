"""Short answers: what a question and the few words that answer it say together, in the answerer's own person.

Owns the making of a statement out of both: "Which airline are you flying with?" and "Lufthansa" is "The airline I'm
flying with is Lufthansa.". Words are data (`text/data/en/replies.toml`). Knows nothing of who asked and what is kept.
Invariants: only words of the two and the joints between them stand in a statement; what offers something, asks how
somebody is or asks about what lies at hand makes none, nor does an answer that is a sentence of its own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from palazzo.text.statements.pronouns import possessive
from palazzo.text.words.grammar import (
    AUX,
    BASE,
    DET,
    GERUND,
    NAME,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    SUBJ,
    THIRD,
    Tokens,
    base_of,
    forms_of,
    third_person,
    verb_table,
)
from palazzo.text.words.language import guess_language
from palazzo.text.words.lexicon import ENGLISH, page
from palazzo.text.words.parsed import once, parsed

_PAGE: Final = page("replies")
MOST_WORDS: Final = 12
"""Words of an answer that leans on its question; whoever writes more says it in full."""
MOST_ASKED: Final = 24
_EDGES: Final = " .,;:!…\"'“”«»–—-"
_ASKED_EDGES: Final = _EDGES + "?¿"
_SWAPPED: Final = {
    "you": "I", "your": "my", "yours": "mine", "yourself": "myself", "you're": "I'm", "you've": "I've",
    "you'll": "I'll", "you'd": "I'd", "i": "you", "my": "your", "me": "you",
}  # fmt: skip
_BARE_TIME: Final = re.compile(r"\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.)?$|(?:noon|midnight)$", re.IGNORECASE)
_ANY: Final = re.compile(r"\b(?:any|some) ", re.IGNORECASE)
_ANYTHING: Final = re.compile(
    r"\b(?:any|some)(?:thing|one|body|where)(?: else| in particular| special)?\b", re.IGNORECASE
)
_TAIL: Final = re.compile(
    r"(?:,? (?:yet|already|at all|too|as well|by any chance|then|please|right now|at the moment))+$"
)
_CHOICES: Final = re.compile(r"(?:\s+[–—-]+|[:;])\s.* or .*$")
"""What is offered behind a question: "the venue - indoors or in the garden" asks for the venue."""
_LED: Final = r"(?:(?:{})(?![\w'])[\s,]*)+"
_FULL: Final = {"'s": "is", "'re": "are", "'ll": "will", "'d": "would", "'ve": "have"}
_NEGATED: Final = {
    "am": "am not", "is": "isn't", "are": "aren't", "was": "wasn't", "were": "weren't", "have": "haven't",
    "has": "hasn't", "had": "hadn't", "can": "can't", "will": "won't", "would": "wouldn't",
}  # fmt: skip


class _Asked(NamedTuple):
    """A question taken apart: the words it opens with, the verb that asks, of whom, and the rest."""

    opened: str
    verb: str
    who: str
    rest: str


@cache
def _pattern(entry: str, form: str = r"(?:{})(?![\w'])") -> re.Pattern[str]:
    return re.compile(form.replace("{}", _PAGE.listing(entry)), re.IGNORECASE)


@once
def leans(answer: str) -> bool:
    """Whether words may answer a question and be no sentence of their own."""
    if not 0 < len(answer.split()) <= MOST_WORDS or answer.rstrip().endswith("?"):
        return False
    plain = answer.replace("’", "'").strip(_EDGES)
    if _split_yes(plain)[0] is not None:
        return True
    plain = _softened(plain)
    return bool(plain) and not _pattern("evasive").match(plain) and not _says_all(parsed(plain).tokens)


def _says_all(tokens: Tokens) -> bool:
    """Whether words have a subject and what is said of it."""
    for at, bit in enumerate(tokens.bits):
        if bit & SUBJ and not bit & (DET | POSS) and tokens.lower[at] not in ("that", "who", "which"):
            return True
        if bit & AUX and at and tokens.lower[at] not in ("can", "will", "may"):
            return True
        if bit & THIRD and not bit & (NOUNISH | AUX) and at and tokens.bits[at - 1] & NAME:
            return True
    return False


def statement_of(question: str, answer: str, before: str = "") -> str:
    """What a question and its answer say together; empty where that cannot be told.

    `before` is what the answerer said last, which a question of one or two words ("When?") asks about.
    """
    asked, told = question.replace("’", "'").strip(), answer.replace("’", "'").strip(_EDGES)
    if guess_language(asked) not in ("", ENGLISH) or not leans(answer):
        return ""
    asked = _CHOICES.sub("", _bare_question(asked))
    if not asked or len(asked.split()) > MOST_ASKED or _pattern("offers").match(asked):
        return "" if not _pattern("naming").match(asked) else _finished(f"call me {_softened(told)}")
    agreed, more = _split_yes(told)
    if agreed is None:
        more = _softened(told)
    if more and parsed(more).tokens.bits[0] & (DET | NUM | PREP | POSS) and more[:2] != "I ":
        more = more[:1].lower() + more[1:]
    made = _of(asked, agreed, more, before)
    return _finished(made) if made else ""


def _of(asked: str, agreed: bool | None, told: str, before: str) -> str:
    if _pattern("naming").match(asked):
        return f"call me {told}" if told else ""
    if (work := _pattern("working", r"(?:{})$").match(asked)) is not None and told:
        return _working(_person(work["who"]), told)
    if _pattern("behind", r"(?:and )?(?:{})$").match(asked):
        return f"{before.strip(_EDGES)} {told}" if before and told and agreed is None else ""
    if (telling := _pattern("tell").match(asked)) is not None:
        asked = asked[telling.end() :].strip(_ASKED_EDGES)
        if not asked.lower().startswith(tuple(_PAGE.words("asking"))):
            return f"{_person(asked)} is {told}" if told and agreed is None and " or " not in asked else ""
        return _indirect(asked, told) if told and agreed is None else ""
    tokens = parsed(asked).tokens
    if tokens.lower[0].partition("'")[0] in _PAGE.words("asking") or (
        len(tokens.lower) > 1 and tokens.bits[0] & PREP and tokens.lower[1] in _PAGE.words("asking")
    ):
        plain = _TAIL.sub("", asked)  # "what are you reading at the moment" is no question about a moment
        return _open(plain, parsed(plain).tokens, told) if told and agreed is None else ""
    if tokens.bits[0] & AUX:
        return _closed(tokens, agreed, told)
    return f"{_person(_with_article(asked))} is {told}" if told and agreed is None and len(tokens.lower) <= 5 else ""


def _bare_question(asked: str) -> str:
    """A question without what leads to it: "Great! And where do you live?"."""
    asked = asked.strip(_ASKED_EDGES)
    while (match := _pattern("opening", r"(?:{})(?![\w'])[\s,.!:;–—-]*").match(asked)) and match.end() < len(asked):
        asked = asked[match.end() :]
    return asked


def _softened(told: str) -> str:
    match = _pattern("softening", _LED).match(told)
    return told[match.end() :].strip(_EDGES) if match is not None else told


def _split_yes(told: str) -> tuple[bool | None, str]:
    """Whether an answer agrees, and what it adds; None where it does neither."""
    for entry, agreed in (("no", False), ("yes", True)):
        match = _pattern(entry).match(told)
        if match is not None and (match.end() == len(told) or told[match.end()] in ",.;:!–—- "):
            rest = told[match.end() :]
            if rest and rest[0] == " " and rest.strip()[:1] not in "–—-" and match.group().lower() in ("no", "right"):
                return None, told  # "no sugar", "right foot"
            return agreed, rest.strip(_EDGES)
    return None, told


def _open(asked: str, tokens: Tokens, told: str) -> str:
    """The statement behind a question that asks for something."""
    found = _apart(tokens)
    if found is None:
        return _named(asked, told)
    opened, verb, who, rest = found
    word, *behind = opened.lower().split()
    manner = behind[0] if word == "how" and behind else ""
    thing = " ".join(behind[1:] if manner else behind)
    if not who:  # it asks who or what does something
        return f"{told} {thing if manner else ''} {_person(f'{verb} {rest}')}"
    whom = _person(who)
    is_are = "are" if thing.endswith("s") and not thing.endswith("ss") else "is"
    if who.lower() in ("it", "that", "this", "there") and thing and manner != "many":
        return f"the {thing} {is_are} {told}" if not rest else ""  # "which job is it for?" asks about what lies at hand
    said, timed = _said(verb, whom, rest), thing in ("time", "day", "date", "year")
    if forms_be(verb) and not rest and _pattern("sorts").match(thing):  # "what kind of dog is he"
        return f"{whom} {'am' if whom == 'I' else verb} {told}"
    if thing and not timed and (word in ("what", "which") or manner == "much"):
        owned = f"my {thing}" if whom == "I" else f"{possessive(whom)} {thing}"
        return f"{owned} {is_are} {told}" if not rest and forms_be(verb) else f"the {thing} {said} {is_are} {told}"
    if manner == "many" or (not timed and word in ("what", "who", "whom", "which")):
        return _with_object(said, rest, f"{told} {thing}" if manner == "many" and _is_number(told) else told)
    if manner and forms_be(verb) and told[:1].isdigit() | _is_number(told):
        told += (
            f" years {manner}" if manner == "old" and _is_number(told) else f" {manner}" if manner != "often" else ""
        )
    if manner == "long" and verb in ("have", "has") and parsed(told).tokens.bits[0] & (NUM | DET):
        told = f"for {told}"
    return f"{said} {_placed('when' if timed else word, told, rest)}"


def _placed(word: str, told: str, rest: str) -> str:
    """Where and when, with the word that leads to it."""
    first = parsed(told).tokens
    leads = bool(first.bits[0] & PREP) or first.lower[0] in ("here", "there", "home", "abroad", "next", "every", "last")
    behind = rest.lower().rpartition(" ")[2]
    if word == "where" and not leads and (behind == "up" or not parsed(rest or "x").tokens.bits[-1] & PREP):
        towards = behind in _PAGE.words("towards")
        return f"{'to' if towards else 'in' if told[:1].isupper() and not first.bits[0] & DET else 'at'} {told}"
    if word == "when" and _BARE_TIME.match(told):
        return f"at {told}"
    return told


def _with_object(said: str, rest: str, told: str) -> str:
    """A statement with what was asked for behind its verb: "I drink" tea "in the morning"."""
    words = rest.split()
    if len(words) < 2 or parsed(rest).tokens.bits[-1] & PREP:
        return f"{said} {told}"
    tokens = parsed(rest).tokens
    at = next((n for n, bit in enumerate(tokens.bits) if bit & PREP), len(words))
    if at in (0, len(words)) or len(tokens.words) != len(words) or tokens.lower[at] == "to":
        return f"{said} {told}"
    head = said[: len(said) - len(_person(" ".join(words[at:])))].rstrip()
    return f"{head} {told} {_person(' '.join(words[at:]))}"


def _closed(tokens: Tokens, agreed: bool | None, told: str) -> str:
    """The statement behind a question for yes or no, or for one of two."""
    found = _apart(tokens)
    if found is None or not found.who or found.who.lower() in ("i", "we", "it", "that", "this", "there"):
        return ""
    whom = _person(found.who)
    if agreed is None:
        chosen = _chosen(found.rest, told)
        return _said(found.verb, whom, chosen) if chosen else ""
    rest = _ANY.sub("", found.rest) if agreed else found.rest
    said = _said(found.verb, whom, _TAIL.sub("", rest), negated=not agreed)
    return f"{said}, {told}" if told else said


def _chosen(rest: str, told: str) -> str:
    """The rest of a question with the one of two that was chosen: "tea or coffee" is "tea"."""
    match = re.search(r"(?P<one>.+),? or (?P<other>[^,]+)$", rest)
    if match is None:
        open_ = _ANYTHING.sub(lambda _: told, rest, count=1)
        return open_ if open_ != rest else f"{_ANY.sub('', rest)}, {told}" if _ANY.search(rest) else ""
    one, other, size = match["one"].split(), match["other"].split(), len(match["other"].split())
    words = {word.strip(_EDGES).lower() for word in told.split()} - {"the", "a", "an"}
    if not words & {word.strip(_EDGES).lower() for word in (*one, *other)}:
        return ""
    return " ".join((*one[:-size], told))


def _apart(tokens: Tokens) -> _Asked | None:
    """The parts of a question; nobody is asked about where its first words are what does something."""
    lower, bits = tokens.lower, tokens.bits
    last = len(lower)
    first = next((at for at in range(last) if bits[at] & AUX or "'" in lower[at]), last)
    if lower[0].partition("'")[0] in _PAGE.words("asking") and "'" in lower[0]:
        first = 0
    text, ends = tokens.text, tokens.ends
    opened = text[: tokens.starts[first]].strip() if first < last else ""
    verb = lower[first] if first < last else ""
    if "'" in verb and verb not in _SWAPPED:
        base, _, tail = verb.partition("'")
        opened, verb = f"{opened} {base}".strip(), _FULL.get(f"'{tail}", "")
    at = first + 1
    if first >= last or not verb:
        doing = next((n for n in range(1, last) if bits[n] & (THIRD | PAST | BASE)), 0)
        if doing and lower[0] in _PAGE.words("asking"):
            return _Asked(text[: tokens.starts[doing]].strip(), tokens.words[doing], "", text[ends[doing] :].strip())
        return None
    if at >= last:
        return None
    end = _subject_end(tokens, at, is_be=forms_be(verb), named=opened.lower() in ("what", "who"))
    if end == at:
        return _Asked(opened, verb, "", text[tokens.starts[at] :].strip()) if opened else None
    rest = text[tokens.starts[end] :].strip() if end < last else ""
    return _Asked(opened, verb, text[tokens.starts[at] : ends[end - 1]], rest)


def forms_be(verb: str) -> bool:
    return verb in ("is", "are", "was", "were", "am")


def _subject_end(tokens: Tokens, at: int, *, is_be: bool, named: bool) -> int:
    """Where whom a question is about ends; `at` itself where nobody stands there.

    What is asked to be `named` may have more behind it: "what is the best time for you".
    """
    lower, bits, last = tokens.lower, tokens.bits, len(tokens.lower)
    if bits[at] & SUBJ or lower[at] in ("you", "it"):
        return at + 1
    asked_of = lower[at - 1] in _PAGE.words("doing")  # "when does practice start": whatever stands there does it
    if not (asked_of or bits[at] & (DET | POSS | NAME)) and not tokens.words[at][:1].isupper():
        return at
    end = at + 1
    asked_of = asked_of and not bits[at] & (DET | POSS)
    while end < last:
        bit = bits[end]
        if is_be and bit & (GERUND | PARTICIPLE) and not bit & NAME and end > at + 1:
            break
        if is_be and bit & PREP and (end + 1 == last or (lower[end] != "of" and not named)):
            break
        if (
            not is_be
            and end > at + 1 - bool(asked_of or bits[at] & NAME)
            and bit & (BASE | PARTICIPLE)
            and not bit & NAME
        ):
            break
        end += 1
    if end == last and not is_be:
        return at
    return end


def _said(verb: str, whom: str, rest: str, *, negated: bool = False) -> str:
    """A question turned into what it asks about: "do", "you", "live in Kiel" is "I live in Kiel"."""
    verb = verb.lower()
    rest = _person(rest)
    first, _, behind = rest.partition(" ")
    if verb in ("do", "does", "did"):
        if negated:
            return f"{whom} {'do' if verb == 'do' else verb}n't {rest}"
        doing = {"do": first, "does": third_person(first.lower()), "did": _past(first.lower())}[verb]
        return f"{whom} {doing} {behind}".rstrip()
    if forms_be(verb):
        verb = "am" if whom == "I" and verb == "are" else "was" if whom == "I" and verb == "were" else verb
    verb = "have" if whom == "I" and verb == "has" else verb
    return f"{whom} {_NEGATED.get(verb, f'{verb} not') if negated else verb} {rest}".rstrip()


@cache
def _past_forms() -> dict[str, str]:
    found: dict[str, str] = {}
    for word, (base, bits) in verb_table().items():
        if bits & PAST:
            found.setdefault(base, word)
    return found


def _past(base: str) -> str:
    return _past_forms().get(base_of(base) if forms_of(base) else base, f"did {base}")


def _working(whom: str, told: str) -> str:
    first = parsed(told).tokens
    works = "work" if whom == "I" or whom.lower() in ("we", "they") else "works"
    if first.bits[0] & BASE and len(first.lower) > 1 and not first.bits[0] & NAME:
        return f"{whom} {told}"
    if first.bits[0] & PREP:
        return f"{whom} {works} {told}"
    article = (
        ""
        if first.bits[0] & (DET | POSS) or first.lower[0].endswith("s")
        else ("an " if first.lower[0][:1] in "aeiou" else "a ")
    )
    return f"{whom} {works} as {article}{told}"


def _indirect(asked: str, told: str) -> str:
    """What a question within a request asks for: "which airline you're flying with"."""
    words = asked.split()
    at = next((n for n, word in enumerate(words) if n and word.lower() in _SWAPPED), 0)
    if at > 1 and words[0].lower() in ("what", "which"):
        return f"the {' '.join(words[1:at])} {_person(' '.join(words[at:]))} is {told}"
    if at == 1 and words[0].lower() == "what" and words[-1].lower() in ("is", "are"):
        return f"{_person(' '.join(words[1:]))} {told}"
    if at == 1 and words[0].lower() in ("where", "when"):
        return f"{_person(' '.join(words[1:]))} {_placed(words[0].lower(), told, words[-1])}"
    return ""


def _named(asked: str, told: str) -> str:
    """What a question without a verb asks for: "Which airline?", "How many guests?"."""
    words = asked.split()
    if words[:1] and words[0].lower() in ("which", "what", "whose") and 1 < len(words) <= 6:
        return f"the {_person(' '.join(words[1:]))} is {told}"
    if [word.lower() for word in words[:2]] == ["how", "many"] and 2 < len(words) <= 6:
        return f"the number of {_person(' '.join(words[2:]))} is {told}"
    return ""


def _with_article(asked: str) -> str:
    bits = parsed(asked).tokens.bits
    return asked if bits and bits[0] & (DET | POSS) else f"the {asked}"


def _person(text: str) -> str:
    """The words of one who asks in the mouth of the one who answers."""
    words = [_SWAPPED.get(word.lower().strip(_ASKED_EDGES), word) for word in text.split()]
    # "with you" is "with me": the one who is no subject
    for at in range(1, len(words)):
        if words[at] == "I" and parsed(words[at - 1]).tokens.bits[0] & PREP:
            words[at] = "me"
    return " ".join(words)


def _is_number(told: str) -> bool:
    tokens = parsed(told).tokens
    figures = [bool(bit & NUM) or word[:1].isdigit() for bit, word in zip(tokens.bits, tokens.words, strict=True)]
    return len(figures) <= 2 and any(figures)


def _finished(text: str) -> str:
    made = " ".join(text.split()).strip(_EDGES)
    return f"{made[:1].upper()}{made[1:]}." if made else ""
