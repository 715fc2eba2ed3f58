"""Requests to a memory that are said in talk: forget that, delete my phone number, do not keep this.

Owns the reading of a sentence as such a request and what it is about; the ways of saying it are data, language by
language. Knows nothing of what is kept and carries nothing out. Invariants: "don't forget ..." is no request; an order
to erase or not to keep something counts only where that is the speaker's own or was said, so an order about the work
at hand is none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

from palazzo.text.safety.secrets import same_length_lower
from palazzo.text.words.lexicon import Page, page
from palazzo.text.words.marks import WordGroups
from palazzo.text.words.parsed import once
from palazzo.text.words.tokens import fold

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
Aim = Literal["this", "words", "all"]
_JOINT: Final = re.compile(r"\s*[,;:–—]\s+|\s+-\s+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_RUN: Final = re.compile(r"\w+")
_SHORTEST: Final = 3
_LETS_BE: Final = frozenset({"forget", "drop"})
"""Ways of saying that something is no matter any more, too: with a bare "it" they ask the memory for nothing."""
"""Letters of the shortest word by which requests are known."""
_EDGES: Final = " .,;:!?…\"'“”«»()"


class ForgetRequest(NamedTuple):
    """What is to be forgotten: what was said just now, what some words name, or all there is.

    `ahead` says that the words after it are meant too ("off the record: ..."); `opened` and `reached` are where the
    request begins and ends in the sentence. `certain` is false where only what is found tells a request from an order
    about other things, and `released` where only what the speaker told of their own can be meant.
    """

    aim: Aim
    target: str
    own: bool
    reached: int
    ahead: bool = False
    certain: bool = True
    broad: bool = False
    """Whether all that is kept of the matter is meant, and not one thing."""
    released: bool = False
    opened: int = 0
    told: str = ""
    """The words of the same sentence that a request to forget "it" comes behind."""
    plainly: bool = False
    """Whether it says neither that something was told nor whose it is: "forget the fair" may be said of a plan."""


class _Reader(NamedTuple):
    """The patterns of one language."""

    rows: tuple[tuple[str, re.Pattern[str]], ...]
    this: re.Pattern[str]
    said: re.Pattern[str]
    that: re.Pattern[str]
    mine: re.Pattern[str]
    which: re.Pattern[str]
    all: re.Pattern[str]
    memory: re.Pattern[str]
    idle: re.Pattern[str]
    many: re.Pattern[str]
    topic: re.Pattern[str]
    naming: re.Pattern[str]


@cache
def _mark_words() -> tuple[str, ...]:
    listed = {word for language in LANGUAGES for word in page("requests", language).words("marks")}
    return (*sorted(listed), "off the record")


@cache
def _letters() -> WordGroups:
    """What a text must have in it to have a mark of each language."""
    return WordGroups(*((*page("requests", one).words("marks"), "off the record") for one in LANGUAGES))


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word[:_SHORTEST] for word in _mark_words())


def _compiled(listed: Page, entry: str, form: str) -> re.Pattern[str]:
    return re.compile(form.format(listed.listing(entry)), re.IGNORECASE)


@cache
def _readers() -> tuple[_Reader, ...]:
    found = []
    for language in LANGUAGES:
        listed = page("requests", language)
        rows = tuple((row["act"], re.compile(row["pattern"], re.IGNORECASE)) for row in listed.rows("rows"))
        found.append(
            _Reader(
                rows, _compiled(listed, "this", r"(?:{})"), _compiled(listed, "said", r"(?:{})\s*"),
                _compiled(listed, "that", r"(?:{})"), _compiled(listed, "mine", r"(?:{})"),
                _compiled(listed, "which", r"(?:{})"),
                _compiled(listed, "all", r"(?:{})"), _compiled(listed, "memory", r"(?:^|[\s,]+)(?:{})[\s.,!?…]*$"),
                _compiled(listed, "idle", r"(?:{})"), _compiled(listed, "many", r"(?:{})"),
                _compiled(listed, "topic", r"(?:{})"), _compiled(listed, "naming", r"(?:{})"),
            )
        )  # fmt: skip
    return tuple(found)


def marks_in(text: str) -> list[int]:
    """Where words begin that requests have; most texts have not even the letters of one."""
    lowered = same_length_lower(text)
    if not _letters().within(lowered):
        return []
    marks, beginnings = _mark_words(), _beginnings()
    begun = [word.start() for word in _RUN.finditer(lowered) if word[0][:_SHORTEST] in beginnings]
    return [at for at in begun if lowered.startswith(marks, at)]


def find_request(sentence: str, *, idle: bool = False) -> ForgetRequest | None:
    """The request to forget that a sentence is, opens with, or ends in; none where it is none.

    "Forget it" is a manner of speaking, but where `idle` says that something was named before it.
    """
    if not marks_in(sentence):
        return None
    return _opening(sentence, idle=idle) or _closing(sentence)


@once
def gives_up(sentence: str) -> bool:
    """Whether what asks a memory to forget something may as well say that it is no plan any more, and names it."""
    request = find_request(sentence)
    return request is not None and request.plainly


def _closing(sentence: str) -> ForgetRequest | None:
    """A request behind a reason: about what its own sentence says before it ("I failed again, don't write that down"),
    or about what was said of something ("she'd be cross, please erase what I told you about her diet")."""
    for joint in _JOINT.finditer(sentence):
        if _opening(sentence[joint.end() :], idle=True) is None:
            continue  # nor would it be one if nothing was named before it
        topic = _topic(sentence[: joint.start()])
        found = _opening(sentence[joint.end() :], idle=bool(topic))
        at_end = found is not None and not any(map(str.isalnum, sentence[joint.end() + found.reached :]))
        if found is None or not at_end:
            continue
        told_of = any(one.said.search(sentence, joint.end()) for one in _readers())
        if found.aim == "words" and found.certain and found.broad and told_of:
            return found._replace(opened=joint.end(), reached=joint.end() + found.reached)
        if found.aim == "this" and topic:
            return found._replace(
                aim="words", target=topic, own=False, broad=True, ahead=False, reached=joint.end() + found.reached
            )
        if found.aim == "this":
            told = "" if found.ahead else sentence[: joint.start()]
            return found._replace(opened=joint.end(), reached=joint.end() + found.reached, told=told)
    return None


def _topic(words: str) -> str:
    """What words name as something that was said: "that thing about the cheese", "the zoo business"."""
    for reader in _readers():
        for start in re.finditer(r"^|\s", words):
            rest = words[start.end() :].strip(_EDGES)
            if (about := reader.said.match(rest)) is not None and rest[about.end() :]:
                return rest[about.end() :].strip(_EDGES)
            if (named := reader.topic.fullmatch(rest)) is not None:
                return named["topic"]
    return ""


def _opening(sentence: str, *, idle: bool = False) -> ForgetRequest | None:
    spoken = _letters().within(sentence.lower())
    if not spoken:
        return None
    plain = sentence.replace("’", "'")
    if "," in plain:
        plain = _politeness().sub(lambda match: " " * len(match[0]), plain)
    body = plain.rstrip(_EDGES)
    for reader in (one for number, one in enumerate(_readers()) if spoken >> number & 1):
        for act, pattern in reader.rows:
            match = pattern.match(body)
            if match is not None and (found := _read(act, match, reader, idle=idle)) is not None:
                return found
    return None


def _read(act: str, match: re.Match[str], reader: _Reader, *, idle: bool = False) -> ForgetRequest | None:
    told = match["target"]
    joint = _JOINT.search(told)
    head = told[: joint.start()] if joint else told
    reached = match.start("target") + joint.start() if joint else match.end()
    named = _trimmed(head, reader.memory)
    kept_in_memory = named != head.strip(_EDGES)
    if act == "unkept" and (not named or reader.this.fullmatch(named)):
        return ForgetRequest("this", "", True, reached, ahead=True)
    if not named or (reader.idle.fullmatch(named) and act in _LETS_BE and not idle):
        return None
    if reader.this.fullmatch(named):
        return ForgetRequest("this", "", True, reached)
    if reader.all.fullmatch(named):
        return ForgetRequest("all", "", True, reached)
    topic = reader.topic.fullmatch(named)
    named = topic["topic"] if topic is not None else reader.naming.sub("", named, count=1)
    asked = None if reader.said.match(named) else reader.which.fullmatch(named)  # "forget who my dentist is"
    named = asked["matter"] if asked is not None else named
    about, said = reader.said.match(named), reader.said.match(named) or reader.that.match(named)
    target = named[said.end() :].strip(_EDGES) if said else named
    about, said = about or topic, said or topic
    owner = reader.mine.match(target)
    own = owner is not None
    target = target[owner.end() :].strip(_EDGES) if owner else target
    if not target:
        return ForgetRequest("this", "", True, reached)
    if act not in ("forget", "unsaid", "release") and not (said or own or kept_in_memory):
        return None
    return ForgetRequest(
        "words", target, own, reached, certain=bool(said) or act in ("forget", "unsaid"),
        broad=about is not None or reader.many.fullmatch(named) is not None,
        released=act == "release" and not (said or own or kept_in_memory),
        plainly=act == "forget" and not (said or own or kept_in_memory),
    )  # fmt: skip


@cache
def _politeness() -> re.Pattern[str]:
    """Polite words between commas: "olvida, por favor, lo que dije"."""
    listed = "|".join(page("requests", language).listing("polite") for language in LANGUAGES)
    return re.compile(rf",\s*(?:{listed})\s*,", re.IGNORECASE)


@cache
def _regret() -> re.Pattern[str]:
    listed = "|".join(page("requests", language).listing("regret") for language in LANGUAGES)
    return re.compile(rf"\W*(?:{listed})\s+(?P<target>.+)", re.IGNORECASE)


def regretted(sentence: str) -> str:
    """What somebody says they should not have told of: "I shouldn't have told you that about Rufus"; else empty."""
    match = _regret().match(sentence.replace("’", "'"))
    return match["target"].strip(_EDGES) if match else ""


@cache
def _pointing() -> re.Pattern[str]:
    listed = "|".join(page("requests", language).listing("pointing") for language in LANGUAGES)
    return re.compile(rf"\W*(?:{listed})\b", re.IGNORECASE)


def points_back(message: str) -> bool:
    """Whether a message opens with a word for what was said before it: "that was just venting, don't keep it"."""
    return _pointing().match(message.replace("’", "'")) is not None


def subject_for(word: str) -> str:
    """The pronoun by which whom a request means is spoken of: "her" is "she"; empty for what is no such word."""
    return page("requests").labelled("people").get(word.lower(), "")


@cache
def _matters() -> tuple[tuple[str, ...], ...]:
    """Of each matter, in each language, the beginnings of words that name it and in which it is told."""
    return tuple(
        tuple(fold(words).split())
        for language in LANGUAGES
        for words in page("requests", language).listings("matters").values()
    )


def same_matter(name: str, text: str) -> bool:
    """Whether a word names what a text tells in other words: a salary, and what somebody earns."""
    named = fold(name)
    groups = [group for group in _matters() if any(named.startswith(one) for one in group)]
    words = _WORD.findall(fold(text)) if groups else ()
    return any(word.startswith(group) for group in groups for word in words)


def _trimmed(text: str, tail: re.Pattern[str]) -> str:
    """What is named, without the words that only say where it is kept or are polite."""
    named = text.strip(_EDGES)
    while (match := tail.search(named)) is not None and match.start() < len(named):
        named = named[: match.start()].strip(_EDGES)
    return named
