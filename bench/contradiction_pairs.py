"""Generated statements with known fates, to measure contradiction at write on sentences nobody tuned on.

`cases(style, seed)` makes the same cases from the same seed. A case is told in order: older statements, then a newer
one, and the numbers of the older ones it takes back. By construction:

change      the same attribute of the same person or thing with another value, said as a change or plainly
chain       the same after two statements of the old value, in different words: both are taken back
near miss   nothing is taken back: the same attribute of somebody or something else, another attribute with a value of
            the same sort, a plan, the past, one more thing beside the first, a target beside a result, or the same
            value again

Every case also has older statements about other attributes and other people, as a memory would. Three styles share the
construction and hardly a sentence, attribute, name or value. `plain` was written to develop with; `second` and `third`
were each written before their first run, measured, and only then developed with too. `FIRST_SIGHT` keeps what those
first runs gave: that, and no later figure, says how statements fare that nobody has tuned on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PER_ATTRIBUTE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """How one attribute is stated, changed and nearly touched; {who} is whose it is, {v} its value."""

    owners: tuple[str, ...]
    values: tuple[str, ...]
    states: tuple[str, ...]
    changes: tuple[str, ...]
    misses: tuple[tuple[str, str], ...] = ()
    """What is no change, each with its kind."""


@dataclass(frozen=True, slots=True)
class Case:
    """Older statements, the newer one, and which of the older ones it takes back."""

    kind: str
    older: tuple[str, ...]
    newer: str
    taken: frozenset[int]


_PEOPLE = ("Olga", "Piet", "Mara Lindt", "Tomas", "I")
_DAYS = ("March 3", "March 9", "April 14", "May 2", "June 21", "July 8")
_HOURS = ("8 am", "9:30 am", "11 am", "2 pm", "4:30 pm", "6 pm")

PLAIN: tuple[Attribute, ...] = (
    Attribute(
        owners=_PEOPLE, values=("Bern", "Oslo", "Porto", "Ghent", "Turin", "Leeds"),
        states=("{who} [live] in {v}.", "{who} [be] based in {v}."),
        changes=("{who} moved to {v}.", "{who} now [live] in {v}.", "{who} no longer [live] in {o}, but in {v}."),
        misses=(
            ("plan", "{who} [want] to move to {v} next year."), ("past", "{who} lived in {v} as a child."),
            ("beside", "{who} visited {v} in spring."),
        ),
    ),
    Attribute(
        owners=_PEOPLE, values=("Acme", "Nordwind", "Vistula Bank", "Helix Labs", "Orion", "Kestrel"),
        states=("{who} [work] at {v}.", "{who} [work] for {v}."),
        changes=(
            "{who} now [work] at {v}.", "{who} left {o} and [work] at {v} now.", "{who} switched from {o} to {v}.",
        ),
        misses=(
            ("plan", "{who} [think] about applying to {v}."), ("past", "{who} worked at {v} ten years ago."),
            ("other attribute", "{who} met a friend from {v}."),
        ),
    ),
    Attribute(
        owners=("atlas project", "website relaunch", "tax report", "thesis", "garden house"), values=_DAYS,
        states=("The deadline of the {who} is {v}.", "The {who} has a deadline of {v}."),
        changes=("The deadline of the {who} moved to {v}.", "The deadline of the {who} was pushed from {o} to {v}."),
        misses=(
            ("other attribute", "The kickoff of the {who} is on {v}."),
            ("past", "The {who} was discussed in a call on {v}."),
        ),
    ),
    Attribute(
        owners=("atlas project", "kitchen", "summer party", "school trip"),
        values=("4,000 euros", "5,500 euros", "6,200 euros", "7,100 euros", "9,000 euros"),
        states=("The budget for the {who} is {v}.", "The {who} has a budget of {v}."),
        changes=("The budget for the {who} was raised to {v}.", "The budget for the {who} is now {v}."),
        misses=(
            ("other attribute", "The {who} has cost {v} so far."),
            ("beside", "A donation of {v} for the {who} came in."),
        ),
    ),
    Attribute(
        owners=_PEOPLE, values=("3", "4", "5", "7", "9", "12"),
        states=("{who} [have] {v} bicycles.", "{who} [own] {v} bicycles."),
        changes=("{who} now [have] {v} bicycles.", "{who} currently [own] {v} bicycles."),
        misses=(
            ("other attribute", "{who} [have] {v} chairs."), ("plan", "{who} [want] to own {v} bicycles one day."),
            ("past", "{who} sold {v} old tyres."),
        ),
    ),
    Attribute(
        owners=_PEOPLE, values=("green", "orange", "teal", "purple", "yellow", "white"),
        states=("[Whose] favorite color is {v}.", "The favorite color of {whom} is {v}."),
        changes=("[Whose] favorite color is now {v}.", "[Whose] favorite color changed from {o} to {v}."),
        misses=(
            ("beside", "{who} bought a {v} lamp."), ("other attribute", "[Whose] bathroom is painted {v}."),
        ),
    ),
    Attribute(
        owners=("Olga", "Piet", "the dentist", "the tax office", "the landlord"), values=_DAYS,
        states=("The appointment with {who} is on {v}.", "I have an appointment with {who} on {v}."),
        changes=("The appointment with {who} was moved to {v}.", "The appointment with {who} is rescheduled to {v}."),
        misses=(
            ("other attribute", "The letter from {who} came on {v}."), ("plan", "{who} is on holiday from {v}."),
        ),
    ),
    Attribute(
        owners=_PEOPLE, values=("vegetarian", "vegan", "pescatarian"),
        states=("{who} [be] {v}.", "[Whose] diet is {v}."),
        changes=("{who} [be] {v} now.", "[Whose] diet changed from {o} to {v}."),
        misses=(("beside", "{who} cooked a {v} curry for guests."), ("plan", "{who} [want] to try a {v} week.")),
    ),
    Attribute(
        owners=("checkout service", "billing job", "search index", "login page"),
        values=("blocked", "deployed", "pending", "broken", "paused"),
        states=("The {who} is {v}.", "The status of the {who} is {v}."),
        changes=("The {who} is {v} now.", "The status of the {who} changed from {o} to {v}."),
        misses=(("other attribute", "The test of the {who} is {v}."),),
    ),
)  # fmt: skip

_STAFF = ("Ines", "Bogdan", "Yuki Arai", "Femi", "I")
SECOND: tuple[Attribute, ...] = (
    Attribute(
        owners=_STAFF, values=("Helga", "Ruben", "Adaeze", "Stellan", "Noor"),
        states=("[Whose] manager is {v}.", "{who} [report] to {v}."),
        changes=("[Whose] new manager is {v}.", "Since the reorganisation {who} [report] to {v} instead of {o}."),
        misses=(
            ("beside", "{who} had lunch with {v}."), ("other attribute", "[Whose] neighbour is {v}."),
            ("past", "Years ago {who} shared an office with {v}."),
        ),
    ),
    Attribute(
        owners=("flat on Elm Street", "studio", "warehouse", "cottage"),
        values=("$900", "$1,050", "$1,180", "$1,300", "$1,425"),
        states=("Rent for the {who} is {v} a month.", "The monthly rent of the {who} is {v}."),
        changes=("Rent for the {who} went up to {v} a month.", "The monthly rent of the {who} rose from {o} to {v}."),
        misses=(
            ("other attribute", "Repairs of the {who} came to {v}."),
            ("plan", "The owner would like to get {v} for the {who} one day."),
        ),
    ),
    Attribute(
        owners=("invoice parser", "mobile app", "render farm", "chat bot"), values=("2.4", "2.7", "3.0", "3.2", "4.1"),
        states=("The {who} runs on version {v}.", "The {who} is at version {v}."),
        changes=("The {who} was upgraded to version {v}.", "The {who} went from version {o} to version {v}."),
        misses=(
            ("plan", "Version {v} of the {who} is planned for winter."),
            ("past", "Version {v} of the {who} had a leak."),
        ),
    ),
    Attribute(
        owners=_STAFF, values=("Emacs", "Sublime Text", "Neovim", "Zed", "PyCharm"),
        states=("{who} [use] {v} as editor.", "[Whose] editor is {v}."),
        changes=(
            "{who} switched from {o} to {v}.", "[Whose] editor is {v} these days, not {o}.",
            "{who} now [use] {v} as editor.",
        ),
        misses=(
            ("beside", "{who} gave a talk about {v}."), ("plan", "{who} might try {v} over Christmas."),
            ("past", "{who} learned to code with {v}."),
        ),
    ),
    Attribute(
        owners=("yoga class", "board meeting", "choir rehearsal", "flight to Lima"), values=_HOURS,
        states=("The {who} starts at {v}.", "The {who} begins at {v}."),
        changes=("The {who} now starts at {v}.", "The start of the {who} was moved from {o} to {v}."),
        misses=(("other attribute", "The {who} ends at {v}."), ("beside", "The taxi after the {who} comes at {v}.")),
    ),
    Attribute(
        owners=("platform team", "sales team", "research group", "night shift"), values=("6", "8", "11", "14", "17"),
        states=("The {who} has {v} members.", "There are {v} members in the {who}."),
        changes=("The {who} has grown to {v} members.", "The {who} now has {v} members."),
        misses=(
            ("target", "The {who} aims to reach {v} members by autumn."),
            ("other attribute", "The {who} closed {v} tickets."), ("beside", "{v} members of the {who} went sailing."),
        ),
    ),
    Attribute(
        owners=("Ines", "Bogdan", "Yuki Arai", "Femi"), values=("a Volvo", "a Fiat", "a Tesla", "a Honda", "a Skoda"),
        states=("{who} [drive] {v}.", "[Whose] car is {v}."),
        changes=("{who} now [drive] {v}.", "{who} sold the old car and [drive] {v} now."),
        misses=(("beside", "{who} rented {v} on holiday."), ("past", "{who} learned driving in {v}.")),
    ),
    Attribute(
        owners=("library card", "gym pass", "parking spot", "locker"),
        values=("12 pounds", "15 pounds", "18 pounds", "21 pounds", "26 pounds"),
        states=("The {who} costs {v} a month.", "The price of the {who} is {v} a month."),
        changes=("The {who} now costs {v} a month.", "The price of the {who} went from {o} to {v} a month."),
        misses=(
            ("other attribute", "The fine for losing the {who} is {v}."),
            ("plan", "The city may charge {v} for the {who} one day."),
        ),
    ),
    Attribute(
        owners=_STAFF, values=("single", "engaged", "married", "divorced"),
        states=("{who} [be] {v}.", "[Whose] marital status is {v}."),
        changes=("{who} [be] {v} now.", "[Whose] marital status changed from {o} to {v}."),
        misses=(("beside", "{who} met somebody who is {v}."),),
    ),
)  # fmt: skip

_FAMILY = ("Luca", "Hanne", "Priya Nair", "Milan", "I")
THIRD: tuple[Attribute, ...] = (
    Attribute(
        owners=_FAMILY, values=("Tuesdays", "Wednesdays", "Thursdays", "Saturdays"),
        states=("[Whose] day off is on {v}.", "{who} [have] {v} off."),
        changes=("[Whose] day off changed from {o} to {v}.", "From now on {who} [have] {v} off."),
        misses=(("beside", "{who} [play] chess on {v}."), ("past", "At the old job {who} had {v} off.")),
    ),
    Attribute(
        owners=("staging server", "print queue", "mail relay", "door sensor"),
        values=("8080", "9000", "9443", "7070", "5050"),
        states=("The {who} listens on port {v}.", "The port of the {who} is {v}."),
        changes=("The {who} now listens on port {v}.", "The port of the {who} was changed from {o} to {v}."),
        misses=(
            ("other attribute", "The {who} answered {v} requests."),
            ("plan", "We plan to open port {v} on the {who}."),
        ),
    ),
    Attribute(
        owners=("living room", "greenhouse", "wine cellar", "server room"),
        values=("12 degrees", "16 degrees", "19 degrees", "22 degrees", "24 degrees"),
        states=("The thermostat in the {who} is set to {v}.", "The thermostat in the {who} is at {v}."),
        changes=("The thermostat in the {who} was turned up to {v}.", "The thermostat in the {who} is at {v} now."),
        misses=(
            ("beside", "A sensor in the {who} is accurate above {v}."),
            ("plan", "I would like {v} in the {who} in winter."),
        ),
    ),
    Attribute(
        owners=_FAMILY, values=("Spotify", "Deezer", "Tidal", "Qobuz"),
        states=("{who} [listen] to music on {v}.", "[Whose] music service is {v}."),
        changes=("{who} cancelled {o} and [listen] to music on {v} now.", "{who} changed from {o} to {v}."),
        misses=(("beside", "{who} read an article about {v}."), ("plan", "{who} [hope] to get a discount at {v}.")),
    ),
    Attribute(
        owners=("Biscuit", "Pepper", "Mochi", "Rex"), values=("4 kg", "6 kg", "9 kg", "11 kg", "14 kg"),
        states=("{who} weighs {v}.", "The weight of {who} is {v}."),
        changes=("{who} weighs {v} now.", "{who} has gone from {o} to {v}."),
        misses=(("beside", "{who} ate {v} of kibble in May."), ("target", "The vet wants {who} to reach {v}.")),
    ),
    Attribute(
        owners=("history essay", "grant proposal", "user guide", "novel"),
        values=("1,200 words", "2,500 words", "3,100 words", "4,000 words", "5,600 words"),
        states=("The {who} has {v}.", "The length of the {who} is {v}."),
        changes=("The {who} has reached {v}.", "The {who} was cut from {o} to {v}."),
        misses=(("target", "The {who} should reach {v}."), ("other attribute", "I deleted {v} of notes on the {who}.")),
    ),
    Attribute(
        owners=("Luca", "Hanne", "Priya Nair", "Milan"), values=("Zurich", "Dublin", "Lyon", "Krakow", "Malaga"),
        states=("{who} studies in {v}.", "[Whose] university is in {v}."),
        changes=("{who} now studies in {v}.", "{who} transferred from {o} to {v}."),
        misses=(("beside", "{who} spent a weekend in {v}."), ("past", "{who} was born in {v}.")),
    ),
    Attribute(
        owners=("standup", "retrospective", "budget review", "parent evening"), values=_HOURS,
        states=("The {who} is at {v}.", "We hold the {who} at {v}."),
        changes=("The {who} was moved to {v}.", "The {who} has been rescheduled from {o} to {v}."),
        misses=(("beside", "I had coffee before the {who} at {v}."), ("past", "The {who} was over by {v}.")),
    ),
    Attribute(
        owners=_FAMILY, values=("a nurse", "a plumber", "a teacher", "an architect", "a pilot"),
        states=("{who} [work] as {v}.", "{who} [be] {v}."),
        changes=("{who} became {v}.", "{who} now [work] as {v}."),
        misses=(("beside", "{who} hired {v} last week."), ("plan", "{who} [dream] of becoming {v}.")),
    ),
)  # fmt: skip

STYLES = {"plain": PLAIN, "second": SECOND, "third": THIRD}
FIRST_SIGHT = {
    "plain": {"recall": (112, 162), "precision": (112, 133), "changes": (48, 54)},
    "second": {"recall": (105, 162), "precision": (105, 118), "changes": (39, 54)},
    "third": {"recall": (89, 162), "precision": (83, 104), "changes": (37, 54)},
}
"""Seed 17. The first two before a repeated value that was merged into one memory counted as taken back with it."""
_THIRD = {"be": "is", "have": "has"}
_FIRST = {"be": "am"}


def _said(form: str, owner: str, value: str, old: str = "") -> str:
    """A sentence from its form, with the verb in brackets in the person of its subject."""
    first = owner == "I"
    text = form.replace("[Whose]", "My" if first else f"{owner}'s")
    while "[" in text:
        head, _, rest = text.partition("[")
        verb, _, tail = rest.partition("]")
        text = head + (_FIRST.get(verb, verb) if first else _THIRD.get(verb, f"{verb}s")) + tail
    text = text.replace("{who}", owner).replace("{whom}", "me" if first else owner)
    text = text.replace("{v}", value).replace("{o}", old)
    return text[0].upper() + text[1:]


def cases(style: str, seed: int) -> Iterator[Case]:
    """The cases of a style, the same ones for the same seed."""
    chooser = random.Random(f"{style} {seed}")
    attributes = STYLES[style]
    for attribute in attributes:
        for _ in range(PER_ATTRIBUTE):
            yield _change(chooser, attributes, attribute, chain=False)
            yield _change(chooser, attributes, attribute, chain=True)
            yield from _misses(chooser, attributes, attribute)


def _others(chooser: random.Random, attributes: Sequence[Attribute], attribute: Attribute, owner: str) -> list[str]:
    """What else is remembered: other attributes of the same owner or another, this one of somebody else."""
    found = []
    for other in chooser.sample([a for a in attributes if a is not attribute], 3):
        whose = owner if owner in other.owners else chooser.choice(other.owners)
        found.append(_said(chooser.choice(other.states), whose, chooser.choice(other.values)))
    somebody = chooser.choice([one for one in attribute.owners if one != owner])
    return [*found, _said(chooser.choice(attribute.states), somebody, chooser.choice(attribute.values))]


def _told(chooser: random.Random, others: list[str], held: list[str]) -> tuple[tuple[str, ...], frozenset[int]]:
    """All older statements in an order of their own, and where those about the attribute are."""
    order = [*others, *held]
    chooser.shuffle(order)
    return tuple(order), frozenset(order.index(one) for one in held)


def _change(chooser: random.Random, attributes: Sequence[Attribute], attribute: Attribute, *, chain: bool) -> Case:
    owner = chooser.choice(attribute.owners)
    old, new = chooser.sample(attribute.values, 2)
    forms = attribute.states if chain else (chooser.choice(attribute.states),)
    older, taken = _told(
        chooser, _others(chooser, attributes, attribute, owner), [_said(form, owner, old) for form in forms]
    )
    plainly = not chain and chooser.random() < 0.25
    form = chooser.choice(attribute.states if plainly else attribute.changes)
    return Case("chain" if chain else "change", older, _said(form, owner, new, old), taken)


def _misses(chooser: random.Random, attributes: Sequence[Attribute], attribute: Attribute) -> Iterator[Case]:
    owner = chooser.choice(attribute.owners)
    old, new = chooser.sample(attribute.values, 2)
    held = _said(chooser.choice(attribute.states), owner, old)
    others = [one for one in _others(chooser, attributes, attribute, owner) if one != held]
    older, _ = _told(chooser, others, [held])
    for kind, form in attribute.misses:
        yield Case(kind, older, _said(form, owner, new), frozenset())
    yield Case("same value", older, _said(chooser.choice(attribute.states), owner, old), frozenset())
    alone = tuple(others[:-1])
    somebody = chooser.choice([one for one in attribute.owners if one != owner])
    yield Case("somebody else", (*alone, held), _said(chooser.choice(attribute.states), somebody, new), frozenset())
