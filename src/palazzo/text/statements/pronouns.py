"""Who the pronouns of a turn stand for: first and second person always, third person only when one reading is left.

Owns the rewriting of a clause into words that stand alone, with the verb made to agree, and the list of people and
things mentioned so far in the turn. Knows nothing about which clauses are kept. Invariant: a third-person pronoun is
replaced only when exactly one mention fits it, of all, or the one that the sentence before it is about, and nobody
who may be meant was named since, by name or by what they are ("the plumber", "someone"); otherwise it stays as it was
written, and so does one whose own clause names anybody before it. Whoever was called she is a woman from then on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from palazzo.text.statements.clauses import AGREE, agreeing, before_subject
from palazzo.text.words import cues, grammar
from palazzo.text.words.grammar import (
    ADV,
    AUX,
    BASE,
    BE,
    COORD,
    DET,
    NAME,
    NEG,
    NOUNISH,
    NUM,
    PARTICIPLE,
    PAST,
    POSS,
    PREP,
    PUNCT,
    SUBJ,
    SUBORD,
    WH,
    Tokens,
)
from palazzo.text.words.lexicon import page

_PAGE: Final = page("pronouns")

_FEMALE: Final = _PAGE.words("female")
_MALE: Final = _PAGE.words("male")
_PERSON: Final = _PAGE.words("person")
_PEOPLE: Final = _PAGE.words("people")
_CAUSATIVE: Final = _PAGE.words("causative")
_PERSON_CUES: Final = _PAGE.words("person_cues")
_ANIMALS: Final = _PAGE.words("animals")
_INVERTING: Final = _PAGE.words("inverting")
_IMPERSONAL: Final = tuple(_PAGE.words("impersonal"))
_STATES: Final = _PAGE.words("states")
_TITLES: Final = _PAGE.words("titles")
_CALENDAR: Final = _PAGE.words("calendar")
_CALLING: Final = _PAGE.words("calling")
_INSTEAD: Final = _PAGE.words("instead")
_SOMEBODY: Final = _PAGE.words("somebody")
_ROLES: Final = tuple(_PAGE.words("role_endings"))
_ENDS: Final = AUX | PUNCT | PREP | COORD | SUBJ | PAST | DET | ADV
_FINITE: Final = AUX | PAST | grammar.THIRD
_HE: Final = frozenset(("he", "him", "his", "he's", "he'll", "he'd", "himself"))
_SHE: Final = frozenset(("she", "her", "hers", "she's", "she'll", "she'd", "herself"))
_THEY: Final = frozenset(("they", "them", "their", "theirs", "they're", "they've", "they'll", "they'd"))
_WHERE: Final = frozenset(("in", "at", "near", "into", "around", "from"))
IT: Final = frozenset(("it", "its", "it's", "it'll", "it'd"))
HE_OR_SHE: Final = _HE | _SHE
_THIRD_PERSON: Final = HE_OR_SHE | _THEY | IT
_FIRST_SECOND: Final = _PAGE.words("first_second")


@dataclass(slots=True)
class Mentions:
    """People, groups and things named so far in one turn, by the words they would be called by later, each with the
    number of the sentence that named it last."""

    speaker: str
    addressee: str
    sentence: int = 0
    topic: str = ""
    """What the last clause is about."""
    women: dict[str, int] = field(default_factory=dict)
    men: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    things: dict[str, int] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    """Names of things, as far as is known, that something was done to: they may be people's."""
    beings: dict[str, int] = field(default_factory=dict)
    """Whoever was named by words that may be anybody's: "the plumber", "someone"."""
    many: int = 0
    """The sentence that last named several of anything."""
    about: str = ""
    """Whom or what the last clause with a subject of its own tells of."""
    places: set[str] = field(default_factory=set)
    """Names that something is said to be in, at or near: nobody's."""


def possessive(name: str) -> str:
    """The owner's form of a name."""
    return name + "'s"


def resolve_clause(
    tokens: Tokens, pieces: list[tuple[int, int]], mentions: Mentions, *, own_words: bool = False, tail: bool = False
) -> str:
    """The words of the given token ranges with pronouns resolved, as one line of text.

    In `own_words` the two who talk stay "I" and "you": only whom else a pronoun stands for is put in its place. In the
    `tail` of a sentence whoever is "she" was named before it.
    """
    order = [at for first, last in pieces for at in range(first, last)]
    names_before = first_named(tokens, order)
    output: list[str] = []
    in_quotes = False
    agreement = 0
    lower, words, starts, ends = tokens.lower, tokens.words, tokens.starts, tokens.ends
    for position, at in enumerate(order):
        low = lower[at]
        word = words[at]
        if low in ('"', "“", "”"):
            in_quotes = not in_quotes if low == '"' else low == "“"
        replaced = word
        if not in_quotes:
            if own_words and low not in _THIRD_PERSON:
                pass
            elif low in _FIRST_SECOND:
                replaced, agreement = _first_second(tokens, order, position, mentions)
            elif agreement:
                fixed, agreement = agreeing(tokens, order, position, agreement)
                replaced = fixed or word
            elif low in _THIRD_PERSON and not tail:
                replaced = _third(tokens, order, position, mentions, here=names_before < position) or word
                if own_words and replaced != word:
                    replaced = replaced.replace(possessive(mentions.speaker), "my")
            if not own_words and position + 1 < len(order) and lower[order[position + 1]] in _FIRST_SECOND:
                replaced = before_subject(tokens, order, position) or replaced
        glued = position > 0 and order[position - 1] == at - 1 and ends[at - 1] == starts[at]
        if output and not glued and not (tokens.bits[at] & PUNCT and low in ",.;:!?)"):
            output.append(" ")
        output.append(replaced)
    return "".join(output)


def refers(tokens: Tokens, first: int, last: int) -> bool:
    """Whether a pronoun in these words may stand for somebody or something named before."""
    return not _THIRD_PERSON.isdisjoint(tokens.lower[first:last])


def note_mentions(tokens: Tokens, first: int, last: int, mentions: Mentions) -> None:
    """Adds the people and things named in a clause to what later pronouns may stand for.

    What somebody or something is said to be is no other one: of "Anna is our buyer" Anna stays, of "our buyer is Anna"
    Anna takes the place of the buyer.
    """
    bits = tokens.bits
    at = first
    subject, verb = "", last
    while at < last:
        bit = bits[at]
        called, then = "", at + 1
        if bit & BE and verb == last:
            verb = at
        if bit & POSS and at + 1 < last and not bit & NAME:
            called, then = _note_owned(tokens, at, last, mentions)
        elif at == first and _is_known_by_trade(tokens, at, last):
            called, then = f"the {tokens.lower[at]} {tokens.lower[at + 1]}", at + 2
            _note_noun(tokens.lower[at + 1], called, mentions)
        elif _is_capital_name(tokens, at):
            called, then = _note_name(tokens, at, (first, last), mentions)
        elif bit & DET and tokens.lower[at] in ("the", "a", "an", "this") and at + 1 < last:
            called, then = _note_described(tokens, at, last, mentions)
        told_of = at > first and (tokens.lower[at - 1] == "as" or (bits[at - 1] & BE and not _there(tokens, at)))
        if not told_of and (end := _anybody(tokens, at, last)) > at:
            if tokens.lower[end - 1].endswith("s") or tokens.lower[end - 1] in _PEOPLE:
                mentions.many = mentions.sentence
            elif not called or (called in mentions.things and not is_plain_name(called)):
                mentions.beings[called or " ".join(tokens.lower[at:end])] = mentions.sentence
        if called:
            if not subject and not any(bits[k] & (SUBJ | _FINITE) for k in range(first, at)):
                mentions.about = called
            between = range(verb + 1, at)
            said_to_be = all(bits[k] & (ADV | NEG | DET | POSS) or tokens.lower[k] in _CALLING for k in between)
            if verb < at and subject and said_to_be and tokens.lower[verb - 2 : verb] == ("used", "to"):
                mentions.things.pop(called, None)  # what something was is not what it is
            elif verb < at and subject and said_to_be:
                _equate(subject, called, mentions)
            subject = subject or called
        at = then


def _equate(subject: str, called: str, mentions: Mentions) -> None:
    """One of two words for the same: a name before a description."""
    known = (mentions.women, mentions.men, mentions.names, mentions.groups, mentions.things, mentions.beings)
    kept, gone = (called, subject) if is_plain_name(called) and not is_plain_name(subject) else (subject, called)
    mentions.about = kept if mentions.about == gone else mentions.about
    kinds = [target for target in known if subject in target or called in target]
    for target in kinds:
        target.pop(gone, None)
        target.pop(kept, None)
    if kinds:
        kinds[0][kept] = mentions.sentence


def _is_capital_name(tokens: Tokens, at: int) -> bool:
    bit = tokens.bits[at]
    if not bit & NAME or bit & (PUNCT | NUM) or not tokens.words[at][0].isupper():
        return False
    label = at == 0 and len(tokens.words) > 1 and tokens.words[1] == ":"
    return not label or cues.is_name(tokens.lower[at])


def _is_known_by_trade(tokens: Tokens, at: int, last: int) -> bool:
    """Whether a clause opens with somebody who is called by what they do: "Veg man", "Window cleaner"."""
    head = tokens.lower[at + 1] if at + 1 < last else ""
    named = cues.is_name(tokens.lower[at]) or tokens.bits[at] & (PUNCT | DET | POSS | PREP | SUBJ | AUX | COORD)
    return not named and (head in _FEMALE or head in _MALE or head in _PERSON)


def _note_name(tokens: Tokens, at: int, span: tuple[int, int], mentions: Mentions) -> tuple[str, int]:
    words, (first, last) = tokens.words, span
    end = at + 1
    if tokens.lower[at] in _TITLES and end + 1 < last and words[end] == "." and tokens.bits[end + 1] & NAME:
        end += 2
    while end < last and tokens.bits[end] & NAME and words[end][0].isupper() and not tokens.bits[end] & PUNCT:
        end += 1
    name = " ".join(words[at:end]).replace(" . ", ". ").removesuffix("'s").removesuffix("’s")
    if name in (mentions.speaker, mentions.addressee) or tokens.lower[at] in _CALENDAR:
        return "", end
    person = _is_person(tokens, at, end, first, last)
    if not person and at > first and tokens.lower[at - 1] in _WHERE:
        mentions.places.add(name)
    _settle(name, mentions.names if person else mentions.things, mentions)
    if not person and at > first and tokens.bits[at - 1] & (PAST | grammar.THIRD) and not cues.is_name(name.lower()):
        mentions.objects[name] = mentions.sentence
    return name, end


def _note_described(tokens: Tokens, at: int, last: int, mentions: Mentions) -> tuple[str, int]:
    """Notes "the green door"."""
    bits = tokens.bits
    if bits[at + 1] & (AUX | PUNCT | PREP | SUBORD | WH):
        return "", at + 1
    end = at + 1
    while end < last and end < at + 4 and not bits[end] & (AUX | PUNCT | PREP | COORD | SUBJ | PAST | DET | ADV):
        end += 1
    if end == at + 1:
        return "", end
    called = "the " + " ".join(tokens.words[at + 1 : end])
    _note_noun(tokens.lower[end - 1], called, mentions)
    return called, end


def _is_person(tokens: Tokens, at: int, end: int, first: int, last: int) -> bool:
    """Whether a name is used as people's names are: as a subject, an owner, or the one somebody is with."""
    if tokens.lower[end - 1].endswith("'s") or tokens.lower[at] in cues.FIRST_NAMES - cues.AMBIGUOUS:
        return True
    before = tokens.lower[at - 1] if at > first else ""
    if before in _PERSON_CUES or before in _FEMALE or before in _MALE or before in _PERSON:
        return True
    if at > first and tokens.bits[at - 1] & (DET | PREP):
        return False
    following = tokens.bits[end] if end < last else PUNCT
    return following & (PAST | grammar.THIRD) != 0 and not following & BE


def _settle(called: str, target: dict[str, int], mentions: Mentions) -> None:
    """Notes a mention where it belongs; what is known of somebody (a man, a woman) stays known."""
    for known in (mentions.women, mentions.men):
        if called in known:
            target = known
    for other in (mentions.names, mentions.things):
        if other is not target:
            other.pop(called, None)
    target[called] = mentions.sentence


def _note_owned(tokens: Tokens, at: int, last: int, mentions: Mentions) -> tuple[str, int]:
    """Notes "my sister Anna", "her son Piet" and the like; returns what it is called and where to go on."""
    bits, lower, words = tokens.bits, tokens.lower, tokens.words
    end = at + 1
    while end < last and end < at + 4 and not bits[end] & (AUX | PUNCT | PREP | COORD | SUBJ | PAST | DET | ADV | NAME):
        end += 1
    if end == at + 1:
        return "", end
    if end < last and _is_capital_name(tokens, end) and not lower[end].endswith("'s"):
        _note_noun(lower[end - 1], words[end], mentions)
        return words[end], end + 1
    owner = {"my": mentions.speaker, "our": mentions.speaker, "your": mentions.addressee, "yours": mentions.addressee}
    whose = owner.get(lower[at]) or _only_one(lower[at], mentions)
    if not whose:
        return "", at + 1
    called = f"{possessive(whose)} {' '.join(words[at + 1 : end])}"
    _note_noun(lower[end - 1], called, mentions)
    return called, end


def _note_noun(head: str, called: str, mentions: Mentions) -> None:
    if head in _FEMALE:
        _settle(called, mentions.women, mentions)
    elif head in _MALE:
        _settle(called, mentions.men, mentions)
    elif head in _PERSON:
        _settle(called, mentions.names, mentions)
    elif head in _PEOPLE:
        _settle(called, mentions.groups, mentions)
    elif not head.endswith("s") or head.endswith("ss"):
        _settle(called, mentions.things, mentions)


def _anybody(tokens: Tokens, at: int, last: int) -> int:
    """Where words end that name somebody a pronoun behind them may mean: a name, "someone", what people are called by,
    and whatever a verb follows; where they begin if they name nobody."""
    bits, lower = tokens.bits, tokens.lower
    bit = bits[at]
    owner = bit & POSS and lower[at].endswith(("'s", "s'")) and tokens.words[at][0].isupper()
    if lower[at] in _SOMEBODY or owner or (_is_capital_name(tokens, at) and lower[at] not in _CALENDAR):
        return at + 1
    led = bit & (DET | POSS | NUM)
    end = at + bool(led)
    while end < last and end < at + 5 and not bits[end] & _ENDS and (bits[end] & NOUNISH or not bits[end] & _FINITE):
        end += 1
    head = lower[end - 1]
    known = head in _FEMALE | _MALE | _PERSON | _PEOPLE | _ANIMALS or head.endswith(_ROLES)
    acts = end < last and bits[end] & _FINITE and not bit & WH and not (at and bits[at - 1] & (PREP | DET | POSS))
    met = led and (known or (at and lower[at - 1] in _PERSON_CUES))
    return end if end > at + bool(led) and (acts or met) else at


def _there(tokens: Tokens, at: int) -> bool:
    """Whether words only say that somebody is there: "there's a plumber at the door"."""
    return any(low.startswith("there") for low in tokens.lower[max(at - 2, 0) : at])


def first_named(tokens: Tokens, order: list[int]) -> int:
    """Where a clause first names anybody itself: a pronoun behind that may mean them.

    A clause that opens with "when" or "because" may name whom its pronoun stands for behind it.
    """
    for position, at in enumerate(order):
        if _anybody(tokens, at, order[-1] + 1) > at:
            return -1 if tokens.bits[order[0]] & SUBORD else position
    return len(order)


def _first_second(tokens: Tokens, order: list[int], position: int, mentions: Mentions) -> tuple[str, int]:
    """Replacement of a first or second person word, and whether the next verb must agree (1 = yes)."""
    low = tokens.lower[order[position]]
    speaker, addressee = mentions.speaker, mentions.addressee
    if low in ("my", "our", "mine", "ours"):
        return possessive(speaker), 0
    if low in ("your", "yours"):
        return possessive(addressee), 0
    if low in ("me", "us"):
        return (speaker if low == "me" else f"{speaker} and others"), 0
    if low in ("myself", "yourself", "ourselves"):
        return "themselves", 0
    head, _, ending = low.partition("'")
    who = {"i": speaker, "you": addressee, "y": addressee}.get(head, f"{speaker} and others")
    if head == "y":
        return f"{addressee} and others", 0
    if ending:
        return f"{who} {_expanded(tokens, order, position, ending, plural=head == 'we')}", 0
    if head == "we":
        return who, 0
    before = tokens.lower[order[position - 1]] if position else ""
    after = tokens.lower[order[position + 1]] if position + 1 < len(order) else ""
    if head == "you" and not _is_subject(tokens, order, position):
        return who, 0
    coordinated = before in ("and", "&") or after in ("and", "&")
    inverted = before in AGREE or before in _INVERTING
    return who, 0 if coordinated or inverted else 1


def _is_subject(tokens: Tokens, order: list[int], position: int) -> bool:
    if position + 1 >= len(order) or (position and tokens.lower[order[position - 1]] in _CAUSATIVE):
        return False
    following = tokens.bits[order[position + 1]]
    return following & (AUX | BASE | PAST | ADV | NEG) != 0 and not following & (PREP | DET)


def _expanded(tokens: Tokens, order: list[int], position: int, ending: str, *, plural: bool) -> str:
    following = tokens.lower[order[position + 1]] if position + 1 < len(order) else ""
    if ending in ("m", "re"):
        return "are" if plural else "is"
    if ending == "ve":
        return "have" if plural else "has"
    if ending == "ll":
        return "will"
    if ending == "d":
        bits = grammar.forms_of(following)
        return "had" if following in ("better", "been") or (bits & PARTICIPLE and not bits & BASE) else "would"
    bits = grammar.forms_of(following)
    if following in _STATES or (following in _CALLING and tokens.bits[order[min(position + 2, len(order) - 1)]] & NAME):
        return "is"
    return "has" if following in ("been", "got", "gotten", "had") or (bits & PARTICIPLE and not bits & BASE) else "is"


def is_plain_name(called: str) -> bool:
    return "'" not in called and all(word[0].isupper() for word in called.split(" "))


def is_animal(called: str) -> bool:
    return called.lower().split(" ")[-1] in _ANIMALS


def _only_one(low: str, mentions: Mentions) -> str:
    """Whom a pronoun stands for: the only one named so far that it fits, or the only one in the last sentence."""
    low = low.partition("'")[0]
    if low in _THEY:
        fits = mentions.groups or _pair(mentions)
        nearer = mentions.many
    elif low in _HE | _SHE:
        plain = {name: said for name, said in mentions.groups.items() if is_plain_name(name)}
        known = mentions.women if low in _SHE else mentions.men
        fits = known | mentions.names | plain | ({} if known else mentions.objects)
        # A name that nothing shows to be a person's, until somebody calls it she.
        things = {name: said for name, said in mentions.things.items() if name not in mentions.places}
        fits = fits or {name: said for name, said in things.items() if is_plain_name(name) or is_animal(name)}
        nearer = max((said for name, said in mentions.beings.items() if name not in fits), default=-1)
    else:
        return ""
    latest = max(fits.values(), default=0)
    left = [name for name, said in fits.items() if said == latest and nearer < latest + (name in mentions.groups)]
    return left[0] if len(left) == 1 and (len(fits) == 1 or left[0] == mentions.about) else ""


def _pair(mentions: Mentions) -> dict[str, int]:
    """Two people named one by one, whom "they" then stands for."""
    people = mentions.women | mentions.men | mentions.names
    return {" and ".join(sorted(people, key=people.__getitem__)): max(people.values())} if len(people) == 2 else {}


def _third(tokens: Tokens, order: list[int], position: int, mentions: Mentions, *, here: bool) -> str | None:
    low = tokens.lower[order[position]]
    if here:
        return None
    if low in IT:
        return _it(tokens, order, position, mentions)
    if not (who := _only_one(low, mentions)):
        return None
    if low not in _THEY:
        _settle(who, mentions.women if low in _SHE else mentions.men, mentions)
    plural = low in _THEY
    head, _, ending = low.partition("'")
    if ending:
        return f"{who} {_expanded(tokens, order, position, ending, plural=plural)}"
    following = tokens.bits[order[position + 1]] if position + 1 < len(order) else PUNCT
    if head in ("his", "their", "hers", "theirs"):
        return possessive(who)
    called = position > 0 and tokens.lower[order[position - 1]] in _CALLING
    owner = position + 1 < len(order) and tokens.lower[order[position + 1]].endswith(("'s", "’s"))
    named = not called and not following & (PUNCT | PREP | AUX | DET | POSS | ADV | SUBJ | COORD | PAST | NUM)
    if head == "her" and (owner or named):
        return possessive(who)
    return None if head in ("himself", "herself") else who


def _it(tokens: Tokens, order: list[int], position: int, mentions: Mentions) -> str | None:
    """What "it" stands for when it opens the clause: the only thing named before, or what the last clause is about."""
    things = [mentions.topic] if mentions.topic in mentions.things else list(mentions.things)
    if not all(tokens.bits[at] & ADV for at in order[:position]) or len(things) != 1:
        return None
    said = [tokens.lower[at] for at in order]
    low, (thing,) = said[position], things
    following = tokens.bits[order[position + 1]] if position + 1 < len(order) else PUNCT
    if said[position + 1 :] and said[position + 1].startswith(_IMPERSONAL):
        return None  # "it rained", "it takes an hour"
    if any(_of_nothing(tokens, at) for at in order[1:4]) or {("for", "me"), ("for", "us")} & set(pairwise(said)):
        return None  # "it's the late shift for me"
    at = position + 1 if low == "it's" else position + 2
    another = at < len(order) and _is_capital_name(tokens, order[at]) and said[at] not in _CALENDAR
    if not any(tokens.bits[k] & NUM for k in order[at : at + 1]) and (
        (another and is_plain_name(thing)) or not _INSTEAD.isdisjoint(said[at:])
    ):
        return None  # "it's Foals now": what it is now is another one
    if low == "its":
        return possessive(thing)
    if low == "it":
        if following & BE:
            told = tokens.bits[order[position + 2]] if position + 2 < len(order) else PUNCT
            return thing if told & (DET | NUM | NAME | PARTICIPLE) else None
        return thing if following & (AUX | PAST | grammar.THIRD) else None
    if is_plain_name(thing) and following & NAME and not following & NUM:
        return None  # "we've left Hadley, it's Boothroyd now": nobody's name is another name
    if low == "it's" and following & (DET | NUM | NAME | PARTICIPLE):
        return f"{thing} {'has' if said[position + 1] == 'been' else 'is'}"
    return None


def _of_nothing(tokens: Tokens, at: int) -> bool:
    """Whether a word behind "it" says that it stands for nothing: "it seems to me", "it looks like"."""
    aims = any(bit & (NUM | NAME | DET | POSS) for bit in tokens.bits[at + 1 : at + 2])  # "it got moved to 11"
    return tokens.lower[at] in ("me", "us", "like") or (tokens.lower[at] == "to" and not aims)


def opening_stands_for(tokens: Tokens, first: int, last: int, mentions: Mentions) -> str:
    """What the pronoun a clause opens with stands for, of what was named before; else empty."""
    if tokens.lower[first] not in _THIRD_PERSON:
        return ""
    return _third(tokens, list(range(first, last)), 0, mentions, here=False) or ""
