"""People, places, organizations, technologies and other named things in a text.

Owns the finding of mentions and their kind: links, addresses and paths, then capitalised runs judged by gazetteers and
the words around them, then known names in lower case. Knows nothing about stored entities. Invariant: mentions are in
text order, never overlap, and `text[mention.start:mention.end] == mention.text`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from palazzo.model.graph import ENTITY_KINDS
from palazzo.text.facts.aliases import alias_key
from palazzo.text.words import cues, tokens

_UPPER: Final = (
    "A-Z\u00c0-\u00d6\u00d8-\u00deĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽȘȚ"
    "\u0391-\u03ab\u0401\u0404-\u0407\u0410-\u042f"
)
_CAPITALISED: Final = rf"[{_UPPER}]\w*(?:[&'’-]\w+)*(?:\.(?:js|io|ai|com|net|org|app|dev)\b)?(?:\+\+|#)?"
_TOKEN: Final = rf"(?:(?:Mr|Mrs|Ms|Dr|Prof|St)\.|(?:[{_UPPER}]\.){{2,}}|{_CAPITALISED})"
_JOINER: Final = r"(?:(?:of(?: the)?|de(?: la)?|da|del|di|du|la|le|van(?: de[rn])?|von(?: der)?|bin|ibn|al|el) )?"


@cache
def _run_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@#/.]){_TOKEN}(?: {_JOINER}{_TOKEN})*")


@cache
def _special_patterns() -> dict[str, re.Pattern[str]]:
    """Patterns of what is written for machines; a colour (#fff) and a quoted selector ('#menu') are no tags."""
    return {
        "link": re.compile(r"(?:https?://|www\.)[^\s<>\"'`)\]}]{1,2000}"),
        "email": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
        "handle": re.compile(r"(?<![\w@.])@[A-Za-z_][\w-]{0,38}\w\b(?![.(]\w?)"),
        "tag": re.compile(r"(?<![\w&#/'\"(])#(?![0-9a-fA-F]{3,8}\b)[^\W\d_][\w-]{0,60}"),
        "path": re.compile(
            r"(?<![\w/\\:.])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]{1,100}){2,40}[/\\]?"
            r"|(?<![\w/\\:.])(?:~|\.{1,2})[/\\][\w.@+-]{1,100}"
            r"|(?<![\w/\\:.@])[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,40}/[\w@+-]{1,100}\.[A-Za-z]\w{0,9}\b"
        ),
        "file_name": re.compile(
            r"(?<![\w/\\@.-])[\w-]{1,100}(?:\.[\w-]{1,40}){0,3}\.(?:py|js|ts|tsx|jsx|rs|go|java|kt|rb|php|c|h|cpp|hpp|cs|"
            r"swift|sh|sql|html|css|scss|md|txt|json|ya?ml|toml|ini|cfg|conf|env|lock|csv|tsv|xlsx?|docx?|pptx?|pdf|png|"
            r"jpe?g|gif|svg|mp3|mp4|wav|zip|gz|tar|db|sqlite|log|ipynb|vue|svelte|xml|proto|gradle|tf)\b(?!\.\w|\()"
        ),
    }


@cache
def _unspaced_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    han = tokens.HAN
    surname = (
        "[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许傅沈曾彭吕苏"
        "卢蒋蔡贾丁魏薛叶余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱]"
    )
    return (
        (re.compile(f"([{han}]{{2,6}}?(?:公司|大学|银行|医院|学校|集团))"), "organization"),
        (re.compile(f"([{han}]{{2,4}}?(?:市|省|县|区|国))"), "location"),
        (
            re.compile(f"({surname}[{han}]{{1,2}}?)(?=先生|女士|小姐|老师|医生|说|是|在|和|住|喜欢|告诉)"),
            "person",
        ),
        (re.compile(f"([{han}{tokens.KANA}]{{1,6}}?)(?=さん|くん|ちゃん|様|先生)"), "person"),
        (re.compile("([가-힣]{2,4}?)(?=씨|님|선생)"), "person"),
    )


__all__ = ["KINDS", "EntityMention", "alias_key", "find_entities"]

KINDS: Final = frozenset(ENTITY_KINDS)
_MAX_RUN_WORDS: Final = 6  # a longer run of capitals is a heading


class EntityMention(msgspec.Struct, frozen=True):
    """One named thing in a text: its span, its words as written, its plain name and its kind."""

    start: int
    end: int
    text: str
    name: str
    kind: str


_LOWER_WORD = re.compile(r"(?<![\w@#/.-])[a-z][a-z0-9]*(?:[.-][a-z0-9]+|\+\+|#)*")
_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_SENTENCE_END: Final = '.!?:;\n…•*>|)"“”'

# FastAPI, Jinja2, TinyMCE; but not McDonald or DeShawn.
_CODE_NAME = re.compile(r"^(?!Mc|Mac|De|La|Le|O['’])\w*[a-z](?:[A-Z]|\d)|\.\w")
_INNER_DOT = re.compile(r"\.\w")
_CALLS: Final = frozenset({"console.log", "response.json", "request.json", "res.json", "req.json", "Math.log"})
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def find_entities(text: str) -> tuple[EntityMention, ...]:
    """All named things of a text in order."""
    finder = _Finder(text)
    if "```" in text:
        finder.skip_code()
    finder.take_special()
    finder.take_runs()
    finder.take_lower()
    if not text.isascii():
        finder.take_unspaced()
    return tuple(sorted(finder.found, key=lambda mention: mention.start))


class _Finder:
    """Collects mentions of one text; a position belongs to the first that claims it."""

    __slots__ = ("_taken", "_text", "found")

    def __init__(self, text: str) -> None:
        self._text = text
        self._taken = bytearray(len(text))
        self.found: list[EntityMention] = []

    def _claim(self, start: int, end: int, name: str, kind: str) -> None:
        if name and start < end and not any(self._taken[start:end]):
            self._taken[start:end] = b"\1" * (end - start)
            self.found.append(EntityMention(start, end, self._text[start:end], name, kind))

    def skip_code(self) -> None:
        for match in _FENCE.finditer(self._text):
            start, end = match.span()
            self._taken[start:end] = b"\1" * (end - start)

    def take_special(self) -> None:
        text, special = self._text, _special_patterns()
        if "://" in text or "www." in text:
            for match in special["link"].finditer(text):
                link = match.group().rstrip(".,;:!?")
                self._claim(match.start(), match.start() + len(link), link.partition("://")[2] or link, "service")
        if "@" in text:
            for match in special["email"].finditer(text):
                self._claim(match.start(), match.end(), match.group().lower(), "person")
            for match in special["handle"].finditer(text):
                self._claim(match.start(), match.end(), match.group()[1:], "person")
        if "#" in text:
            for match in special["tag"].finditer(text):
                self._claim(match.start(), match.end(), match.group()[1:], "concept")
        if "/" in text or "\\" in text:
            for match in special["path"].finditer(text):
                path = match.group().rstrip(".")
                if not _is_alternative(path):
                    self._claim(match.start(), match.start() + len(path), path, "file")
        if _INNER_DOT.search(text):
            for match in special["file_name"].finditer(text):
                if match.group().lower() not in cues.KINDS and match.group() not in _CALLS:
                    self._claim(match.start(), match.end(), match.group(), "file")

    def take_runs(self) -> None:
        text = self._text
        shouting = text.isupper()
        for match in _run_pattern().finditer(text):
            words = match.group().split(" ")
            if len(words) == 1 and (words[0] == "I" or words[0].lower() in cues.PLAIN):
                continue
            if len(words) > _MAX_RUN_WORDS or shouting:
                self._take_heading(match.start(), words)
                continue
            self._take_run(match.start(), words)

    def _take_heading(self, start: int, words: list[str]) -> None:
        folded = [tokens.fold(_POSSESSIVE.sub("", word)) for word in words]
        at = 0
        while at < len(words):
            size = cues.longest_match(folded, at)
            if size:
                name = _POSSESSIVE.sub("", " ".join(words[at : at + size]))
                self._claim(start, start + len(name), name, cues.KINDS[" ".join(folded[at : at + size])])
            elif folded[at] in cues.FIRST_NAMES and folded[at] not in cues.AMBIGUOUS:
                self._claim(start, start + len(words[at]), _POSSESSIVE.sub("", words[at]), "person")
            step = max(size, 1)
            start += sum(len(word) + 1 for word in words[at : at + step])
            at += step

    def _take_run(self, start: int, words: list[str]) -> None:
        text = self._text
        initial = _starts_sentence(text, start)
        stripped = False
        while words and _names_nothing(words, initial and not stripped):
            start += len(words.pop(0)) + 1
            stripped = True
        while words and _is_plain(words[-1]):
            words.pop()
        if not words:
            return
        run = " ".join(words)
        name = _POSSESSIVE.sub("", run)
        end = start + len(name)
        folded = tokens.fold(name)
        before, after = _before(text, start), _after(text, start + len(run))
        kind = _kind_of(folded, name, before, after)
        if not kind and initial and not stripped and len(words) == 1 and after not in cues.PERSON_AFTER:
            return
        if folded in cues.AMBIGUOUS and initial and not stripped and not _confirmed(text, end, after):
            return
        if not kind and _is_noise(name, folded):
            return
        if len(words) == 2 and not kind and all(_is_given(word) for word in words):
            self._claim(start, start + len(words[0]), words[0], "person")
            self._claim(end - len(words[1]), end, words[1], "person")
            return
        self._claim(start, end, " ".join(name.split()), kind or _guess(name, before, after))

    def take_lower(self) -> None:
        text = self._text
        for word in cues.LOWER_NAMES.keys() & _LOWER_WORD.findall(text):
            for name in cues.LOWER_NAMES[word]:
                at = text.find(name)
                while at >= 0:
                    end = at + len(name)
                    if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
                        self._claim(at, end, name, cues.KINDS[name])
                    at = text.find(name, end)

    def take_unspaced(self) -> None:
        for pattern, kind in _unspaced_patterns():
            for match in pattern.finditer(self._text):
                start, end = match.span(1)
                self._claim(start, end, match.group(1), kind)


def _is_alternative(path: str) -> bool:
    """ "and/or", "24/7" and "he/she" look like paths and are none."""
    return "." not in path and path[0] not in "~/\\.C" and path.count("/") < 2


def _starts_sentence(text: str, start: int) -> bool:
    at = start - 1
    while at >= 0 and text[at] in " \t'‘\"“([*_-–—":
        at -= 1
    return at < 0 or text[at] in _SENTENCE_END


def _before(text: str, start: int) -> tuple[str, str]:
    """The two words before a position, lower case, nearest last."""
    words = text[max(0, start - 40) : start].lower().replace("\n", " . ").replace(",", " , ").split()
    nearest = words[-1] if words else ""
    return (words[-2] if len(words) > 1 else "", nearest)


def _after(text: str, end: int) -> str:
    match = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    return match.group().lower() if match else ""


def _names_nothing(words: list[str], initial: bool) -> bool:
    """Whether the first word of a run only starts the sentence and is no part of the name."""
    first = words[0]
    folded = tokens.fold(first)
    if len(words) > 1 and tokens.fold(" ".join(words)) in cues.KINDS:
        return False
    if folded in cues.PLAIN or folded.rpartition("'")[0] in cues.PLAIN or first.islower():
        return True
    if (folded in cues.CALENDAR or folded.rstrip("s") in cues.CALENDAR) and (
        len(words) == 1 or not _is_ending(words[-1])
    ):
        return True
    if not initial or len(words) < 2 or _is_given(first) or folded in cues.KINDS or folded in cues.HONORIFICS:
        return False
    rest = tokens.fold(_POSSESSIVE.sub("", " ".join(words[1:])))
    known_rest = rest in cues.KINDS or _is_given(words[1])
    return known_rest or folded.endswith(("ing", "ed", "ly"))


def _is_plain(word: str) -> bool:
    lower = word.lower()
    return word.islower() or lower in cues.CALENDAR or lower.rstrip("s") in cues.CALENDAR or lower in cues.PLAIN


def _is_given(word: str) -> bool:
    return tokens.fold(_POSSESSIVE.sub("", word)) in cues.FIRST_NAMES


def _is_ending(word: str) -> bool:
    return tokens.fold(word) in cues.ENDINGS


def _is_noise(name: str, folded: str) -> bool:
    """Single letters, shouted words and names of errors."""
    if len(name) < 2 or (name.isupper() and (folded in cues.LOUD or len(name) > 6)):
        return True
    return folded.endswith(("error", "exception"))


def _confirmed(text: str, end: int, after: str) -> bool:
    return after in cues.PERSON_AFTER or text[end : end + 2] in ("'s", "’s", ", ")


def _kind_of(folded: str, name: str, before: tuple[str, str], after: str) -> str:
    """The kind that the name itself gives away, or the empty string."""
    words = folded.split(" ")
    given = words[0] in cues.FIRST_NAMES
    kind = cues.KINDS.get(folded, "")
    if kind and given and kind == "location":
        return (
            kind if before[1] in cues.LOCATION_BEFORE or before[0] in cues.MOTION or before[1] == "from" else "person"
        )
    if kind:
        return kind
    if len(words) > 1 and words[0] in cues.HONORIFICS:
        return "person"
    if len(words) > 1 and words[-1] in cues.ENDINGS:
        return cues.ENDINGS[words[-1]]
    if len(words) > 1 and words[0] in cues.STARTS:
        return cues.STARTS[words[0]]
    if words[0] in cues.HONORIFICS and len(words) == 1:
        return ""
    if given and len(words) <= 4 and "&" not in name:
        return "person"
    if folded in cues.CONCEPTS or words[-1] in cues.ROLES:
        return "concept"
    family = cues.KINDS.get(words[0] if len(words) > 1 else folded.partition("-")[0], "location")
    if family != "location":
        return family
    if after in cues.PROJECT_NEAR or before[1] in cues.PROJECT_NEAR:
        return "project"
    return ""


def _guess(name: str, before: tuple[str, str], after: str) -> str:
    """The kind that the neighbouring words suggest."""
    nearest = before[1]
    if name.isupper():
        return "organization" if nearest in ("at", "joined") else "concept"
    if _CODE_NAME.search(name):
        return "technology"
    if after in cues.PERSON_AFTER or nearest in cues.KIN:
        return "person"
    if nearest in cues.LOCATION_BEFORE:
        return "location"
    if nearest in ("to", "from"):
        return "location" if before[0] in cues.MOTION else "person" if before[0] in cues.SPEECH else "other"
    if nearest in cues.ORGANIZATION_BEFORE or (nearest in ("for", "with", "as") and before[0] in cues.WORK):
        return "organization"
    if nearest in cues.TECHNOLOGY_BEFORE:
        return "technology"
    if nearest in cues.PERSON_BEFORE or (nearest == "with" and before[0] in cues.COMPANY):
        return "person"
    return "other"
