"""A working session of two hundred turns, made up: facts, decisions, plans with their ends, names, and talk between.

Every story is made from a seed. Plans are those of `plan_stories.txt`, of the half that is only counted, or are told in
two sets of wordings: `development` was looked at while the rules of plans were written, `held_out` was not. Knows
nothing of Palazzo.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from bench.plan_stories import stories

PlanState = Literal["open", "done", "cancelled"]
EXCHANGES: Final = 100
PLANS: Final = 20
"""Plan stories in one session."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the user told once, what is asked about it, and the words that answer it."""

    told: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class PlanTold:
    """Work that was planned, by the words that name it, and how it stands at the end."""

    named: str
    state: PlanState
    said: tuple[str, ...] = ()
    """What was said of it, where it is one of the plan stories."""


@dataclass(slots=True)
class Story:
    """The turns in order, as (role, text), and what was planted in them."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    decisions: list[Fact] = field(default_factory=list)
    plans: list[PlanTold] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


FACTS: Final = (
    ("The {0} cluster lives in {1}.", "Where does the {0} cluster live?", "{1}"),
    ("{1} signs off on everything that touches {0}.", "Who signs off on {0}?", "{1}"),
    ("Our contract for {0} runs out in {1}.", "When does the contract for {0} run out?", "{1}"),
    ("The {0} team sits in {1}.", "Where does the {0} team sit?", "{1}"),
    ("The {0} service costs us {1} a month.", "What does the {0} service cost a month?", "{1}"),
    ("The {0} dashboard is maintained by {1}.", "Who maintains the {0} dashboard?", "{1}"),
)
THINGS: Final = (
    "ingest", "ledger", "beacon", "quarry", "sextant", "ballast", "halyard", "lantern", "trellis", "gantry", "spindle",
    "capstan", "mosaic", "furnace", "orchard", "pontoon", "ratchet", "thimble", "viaduct", "windlass", "abacus",
    "bellows", "cistern", "dovetail",
)  # fmt: skip
PLACES: Final = ("Rotterdam", "Tallinn", "Porto", "Graz", "Bergen", "Zadar", "Leeds", "Turku", "Nantes", "Malmo")
PEOPLE: Final = ("Ottilie", "Branko", "Siobhan", "Tariq", "Yevgenia", "Marguerite", "Anselm", "Nkechi", "Rosalind")
MONTHS: Final = ("February", "April", "June", "August", "October", "December")
SUMS: Final = ("340 euros", "1,250 euros", "75 euros", "910 euros", "2,600 euros", "48 euros")
VALUES: Final = (PLACES, PEOPLE, MONTHS, PLACES, SUMS, PEOPLE)

DECISIONS: Final = (
    ("We settled on {0} for the {1} because {2}.", "What did we settle on for the {1}?"),
    ("The {1} runs on {0} from now on, that is decided: {2}.", "What does the {1} run on?"),
    ("For the {1} we picked {0}, since {2}.", "What did we pick for the {1}?"),
)
CHOICES: Final = ("NATS", "Parquet", "Caddy", "Zig", "DuckDB", "Protobuf", "Valkey", "Nomad", "Bazel", "Typst")
SUBJECTS: Final = (
    "event bus", "cold archive", "edge proxy", "firmware loader", "report cache", "wire format", "session cache",
    "batch scheduler", "build farm", "invoice printer",
)  # fmt: skip
REASONS: Final = (
    "the licence fits", "operations knows it already", "it survived the load test", "nothing else had a client for us",
    "the vendor promised ten years of support",
)  # fmt: skip

WORK: Final = (
    ("the retry queue", "build the retry queue", "building the retry queue"),
    ("the tariff importer", "write the tariff importer", "writing the tariff importer"),
    ("the consent banner", "translate the consent banner", "translating the consent banner"),
    ("the pager rota", "automate the pager rota", "automating the pager rota"),
    ("the orphan sweeper", "rewrite the orphan sweeper", "rewriting the orphan sweeper"),
    ("the thumbnail worker", "move the thumbnail worker to arm", "moving the thumbnail worker to arm"),
    ("the audit export", "add the audit export", "adding the audit export"),
    ("the currency rounding", "fix the currency rounding", "fixing the currency rounding"),
    ("the onboarding tour", "redesign the onboarding tour", "redesigning the onboarding tour"),
    ("the geo lookup", "cache the geo lookup", "caching the geo lookup"),
    ("the changelog bot", "set up the changelog bot", "setting up the changelog bot"),
    ("the quota alarms", "tune the quota alarms", "tuning the quota alarms"),
    ("the webhook signer", "rotate keys in the webhook signer", "rotating keys in the webhook signer"),
    ("the search facets", "prototype the search facets", "prototyping the search facets"),
    ("the invoice footer", "correct the invoice footer", "correcting the invoice footer"),
    ("the feature flags page", "document the feature flags page", "documenting the feature flags page"),
    ("the backup drill", "schedule the backup drill", "scheduling the backup drill"),
    ("the mobile splash", "shrink the mobile splash", "shrinking the mobile splash"),
    ("the tenant merger", "review the tenant merger", "reviewing the tenant merger"),
    ("the login throttle", "benchmark the login throttle", "benchmarking the login throttle"),
    ("the vat validator", "port the vat validator", "porting the vat validator"),
    ("the csv sniffer", "harden the csv sniffer", "hardening the csv sniffer"),
    ("the dead letter view", "draw the dead letter view", "drawing the dead letter view"),
    ("the cookie jar", "encrypt the cookie jar", "encrypting the cookie jar"),
)
Wordings = dict[str, tuple[str, ...]]
PLAIN: Final[Wordings] = {
    "open": (
        "We should {vp} before the freeze.", "Please {vp} when you get a minute.", "Next up is {np}.",
        "Don't forget to {vp}.", "I want you to {vp} this week.", "Let's {vp} soon.",
    ),
    "cancelled": (
        "Let's not do {np} after all.", "{Np} is off the table.", "Scrap {np}, nobody asked for it.",
        "We decided against {np}.", "I changed my mind about {np}.", "Cancel {np}, please.",
    ),
    "done": (
        "{Np} is merged.", "I've finished {np}.", "Done: {np} is live.", "{Np} has been shipped.",
        "That takes care of {np}.",
    ),
}  # fmt: skip
SEEN: Final[Wordings] = {
    "open": (
        "Put {gerund} on the list.", "One more job for you: {vp}.", "Could we get round to {gerund} this week?",
        "Somebody has to {vp}, and that somebody is you.", "Before we ship I need {np} sorted out.",
        "{Np} should be next in line.", "I'm counting on you to {vp}.", "We have yet to {vp}.",
    ),
    "cancelled": (
        "Strike {np} from the list.", "{Np} got vetoed this morning.", "Don't bother with {np} any more.",
        "I'd rather we didn't do {np}.", "We can live without {np}, so leave it.", "Let's put {np} on ice for good.",
        "I talked to legal and {np} is dead in the water.", "Forget I ever asked for {np}.",
    ),
    "done": (
        "{Np} is in and covered by tests.", "I wrapped up {np} a minute ago.", "You can tick {np} off.",
        "{Np} now works end to end.", "That was the last bit of {np}.", "I pushed {np} to the branch.",
    ),
}  # fmt: skip
HARDER: Final[Wordings] = {
    "open": (
        "It would be lovely to have {np} before the demo.", "{Np} deserves your attention after lunch.",
        "My boss keeps asking for {np}, so make it happen.", "The ticket for {gerund} is yours.",
        "Your homework: {vp}.", "What remains is to {vp}.", "Reserve an hour on Thursday for {gerund}.",
        "Take care of {gerund} for me.",
    ),
    "cancelled": (
        "The board pulled the budget for {np}, we stop here.", "Consider {np} withdrawn.",
        "There is no appetite for {np} left, so spare yourself the effort.", "{Np} fell through.",
        "Please take {np} out of the plan again.", "As for {np}: the answer is no.",
        "We are walking away from {np}.", "Customers hated the idea, {np} goes in the bin.",
    ),
    "done": (
        "{Np} is sitting on main since this morning.", "Just closed the ticket for {np}.",
        "All checks are green for {np}.", "{Np} went out with the noon release.", "With that, {np} is complete.",
        "I can report that {np} behaves as specified.",
    ),
}  # fmt: skip
FURTHER: Final[Wordings] = {
    "open": (
        "We still want {np} in this release.", "Make {gerund} your first thing tomorrow.",
        "I promised the client {np} by Friday.", "Let's get going with {np}.", "Next sprint is all about {gerund}.",
        "Remind yourself to {vp} after the standup.", "The next milestone is {gerund}.", "{Np}: can you handle that?",
    ),
    "cancelled": (
        "Drop {np}, it is not worth the trouble.", "We're no longer doing {np}.",
        "{Np} has been cut from the scope.", "Abandon {np}; the vendor went bankrupt.",
        "On second thought, leave {np} alone.", "Management killed {np} today.", "Please stop working on {np}.",
        "{Np} is cancelled, do not pick it up again.",
    ),
    "done": (
        "Finished {np}, all tests pass.", "{Np} is deployed to production.", "Good news: {np} is complete.",
        "I have completed {np} and pushed it.", "{Np} landed in main an hour ago.",
        "Checked {np} in and closed the issue.",
    ),
}  # fmt: skip
FIFTH: Final[Wordings] = {
    "open": (
        "Please see that {np} gets done this week.", "I expect {np} from you by Monday.", "Can you start {gerund}?",
        "We ought to {vp}.", "It is high time to {vp}.", "The customer is waiting for {np}.", "After this, {vp}.",
        "I'd be grateful if you could {vp}.",
    ),
    "cancelled": (
        "Nobody needs {np}, so skip it.", "We will not be {gerund}.", "{Np} is no longer on the roadmap.",
        "You can stop {gerund}.", "I am cancelling {np}.", "Let us forget about {np}.",
        "{Np} was dropped in today's meeting.", "Please undo the plan for {np}: we are not doing it.",
    ),
    "done": (
        "{Np} has been done since yesterday.", "I finished {gerund}.", "{Np} works, and the pipeline is green.",
        "That completes {np}.", "Shipped {np}.", "{Np} has landed.",
    ),
}  # fmt: skip
SIXTH: Final[Wordings] = {
    "open": (
        "Our next goal: {vp}.", "I need you to {vp} by the end of the week.", "Let's plan on {gerund}.",
        "It's about time we {vp}.", "Please schedule {gerund} for next week.", "{Np} is still missing.",
        "Once that is through, {vp}.", "The team agreed that you will {vp}.",
    ),
    "cancelled": (
        "We have decided not to go ahead with {np}.", "{Np} is out, the budget is gone.",
        "Never mind {np}.", "There's no need for {np} any longer.", "Let's call off {np}.",
        "I no longer want {np}.", "Hold on, we are dropping {np} altogether.", "{Np} will not be built.",
    ),
    "done": (
        "{Np} is finished and reviewed.", "Completed {np} just now.", "{Np} is now in place.",
        "I merged {np} this morning.", "As of today {np} is live.", "{Np} is ready for use.",
    ),
}  # fmt: skip
SEVENTH: Final[Wordings] = {
    "open": (
        "Can we {vp} at some point?", "You still have to {vp}.", "I'd like to see {np} before the holidays.",
        "Then comes {gerund}.", "Another thing on my mind is {gerund}.", "{Vp} as soon as you can.",
        "Keep {gerund} in mind for this week.", "Our customers need {np}.",
    ),
    "cancelled": (
        "Scratch {np}.", "{Np} has been shelved for now.", "We are giving up on {np}.",
        "Turns out we do not need {np}.", "{Np} is not going to happen.", "Take {np} off the list.",
        "I don't want {np} any more.", "Let's abandon the idea of {gerund}.",
    ),
    "done": (
        "{Np} is done.", "I've just completed {np}.", "{Np} got merged.", "{Np} passes all its tests now.",
        "We can close {np}, it works.", "{Np} has been rolled out.",
    ),
}  # fmt: skip
EIGHTH: Final[Wordings] = {
    "open": (
        "Let's make sure we {vp}.", "I want {np} this month.", "Start {gerund} when the build is green.",
        "We are going to {vp}.", "What about {gerund} on Wednesday? Plan it in.", "Please {vp} today.",
        "{Np} has to be there for the audit.", "You should {vp} first.",
    ),
    "cancelled": (
        "Actually, we won't do {np}.", "{Np} is no longer required.", "Skip {np}.", "I'm dropping {np}.",
        "We agreed to cancel {np}.", "Please forget about {np}.", "{Np} was rejected by the customer.",
        "Stop {gerund}, it makes no sense now.",
    ),
    "done": (
        "{Np} is implemented.", "I have {np} working now.", "{Np} was released today.", "We finished {np} together.",
        "{Np} is complete and tested.", "{Np}: done.",
    ),
}  # fmt: skip
NINTH: Final[Wordings] = {
    "open": (
        "{Np} is what I want you to tackle next.", "Somewhere this sprint we have to squeeze in {gerund}.",
        "Mind {gerund} as well, would you?", "The board expects {np} from us.", "I'm asking you to {vp}.",
        "What remains is {gerund}.", "Now {vp}.", "The team is relying on you to {vp}.", "{Np} is still ahead of us.",
        "I would appreciate {np}.", "Be so kind and {vp}.", "Nobody has started {np} yet.", "It falls to us to {vp}.",
        "How about {gerund} this week?", "Why don't we {vp}?", "Would you mind {gerund}?",
        "Any chance you could {vp}?", "Do you have a minute to {vp}?", "Would it be possible to {vp}?",
    ),
    "cancelled": (
        "{Np} is dead in the water.", "You can bury {np}.", "We're no longer pursuing {np}.", "I take back {np}.",
        "The customer withdrew {np}.", "We had to say no to {np}.", "We are washing our hands of {np}.",
        "Management put an end to {np}.", "I no longer see a need for {np}.", "We let go of {np}.",
        "{Np} is a thing of the past.", "We won't be {gerund}.",
    ),
    "done": (
        "{Np} is up and running.", "I wrapped up {np} an hour ago.", "You can tick off {np}.",
        "{Np} works as it should.", "All of {np} is in main.", "{Np} is squared away.", "I checked {np} off.",
        "{Np} made it into the release.", "With that, {np} is complete.",
    ),
}  # fmt: skip
TENTH: Final[Wordings] = {
    "open": (
        "Next week you will {vp}.", "Could you {vp}?", "There is one more thing: {vp}.", "I'd love to have {np} soon.",
        "We must not forget {gerund}.", "Let us {vp} together.", "You are in charge of {gerund}.",
        "Do {np} right after the review.",
    ),
    "cancelled": (
        "{Np} is cancelled.", "We don't need {np} after all.", "Let's leave out {np}.", "Kill {np}.",
        "I decided against {np}.", "{Np} is not worth it, drop it.",
        "We have called off {np}.",
    ),
    "done": (
        "{Np} is working.", "Merged {np} into main.", "{Np} was completed an hour ago.", "I fixed {np}.",
        "{Np} is up and running.", "All done with {np}.",
    ),
}  # fmt: skip
ELEVENTH: Final[Wordings] = {
    "open": (
        "I'd be glad if you would {vp}.", "After the call, please {vp}.", "We still owe the auditors {np}.",
        "My boss asked whether we will {vp}, and I said yes.", "Would you {vp} for me?",
        "{Np} is due at the end of May.",
        "Remember {gerund}, it slipped last time.", "You two will have to {vp}.", "Let me see you {vp} tomorrow.",
        "What we lack is {np}.",
    ),
    "cancelled": (
        "On reflection, drop {np}.", "The sponsor pulled out, so {np} is off.", "We will do without {np}.",
        "{Np} is not needed any longer.", "Please stop work on {np}.",
        "You were right, {np} is a bad idea, leave it.", "The team voted against {np}.",
    ),
    "done": (
        "{Np} is finished and merged.", "I have completed {np}.", "{Np} is on production since this morning.",
        "{Np} works now, all tests pass.", "I just shipped {np}.", "{Np} has been reviewed and closed.",
    ),
}  # fmt: skip
TWELFTH: Final[Wordings] = {
    "open": (
        "Please take care of {np}.", "I think you ought to {vp}.", "This month is about {gerund}.",
        "You have my blessing to {vp}.", "Nothing matters more than {np} right now.", "Give {np} a go.",
        "By next Tuesday I expect {np}.", "Have a look at {np} and get it done.",
        "Kindly {vp}.",
    ),
    "cancelled": (
        "Do not go on with {np}.", "{Np} fell victim to the budget.", "I've decided to drop {np}.",
        "We gave {np} up.", "No one will miss {np}, cancel it.", "{Np} is cancelled.",
        "Remove {np} from our plans.", "The client no longer wants {np}.",
    ),
    "done": (
        "{Np} is in the bag.", "{Np} is deployed.", "I'm done with {np}.", "The last test of {np} is green.",
        "{Np} has landed.", "Finished: {np}.",
    ),
}  # fmt: skip
THIRTEENTH: Final[Wordings] = {
    "open": (
        "Someone should {vp}.", "It'd be great to have {np}.", "I've promised the client {np}.",
        "Could you start {gerund} today?", "Add {np} to the plan.", "We need to get {np} done.",
        "Next sprint: {vp}.", "Don't let {np} slip.", "You'll {vp} after the break, right?", "Our aim is {gerund}.",
    ),
    "cancelled": (
        "We're not doing {np}.", "{Np} has been cancelled by the client.", "Let's forget {np}.",
        "There's no need for {np} any more.", "I'd like to call off {np}.",
        "Drop {np} from the plan.", "We abandoned {np}.",
    ),
    "done": (
        "{Np} is live now.", "I finished {np} yesterday.", "{Np} has been merged and deployed.",
        "{Np} is fixed.", "Completed {np}.", "{Np} is all done.",
    ),
}  # fmt: skip
HELD_OUT: Final[Wordings] = {
    "open": (
        "I hope you can {vp} soon.", "{Np} is the next big thing for us.", "We have to think about {gerund}.",
        "Your turn: {vp}.", "The plan is to {vp} on Monday.", "I still miss {np}.", "Make {np} happen.",
        "Let's get started with {gerund}.",
    ),
    "cancelled": (
        "We can't afford {np}.", "{Np} is over before it began, leave it.", "I'm against {np} now.",
        "{Np} got cut.", "Leave {np} out.", "We've had enough of {np}, it stops here.", "Ditch {np}.",
    ),
    "done": (
        "{Np} is ready.", "I took care of {np}.", "{Np} passed review and is merged.", "We rolled out {np}.",
        "{Np} is working.",
    ),
}  # fmt: skip
WORDED: Final = (
    PLAIN,
    SEEN,
    HARDER,
    FURTHER,
    FIFTH,
    SIXTH,
    SEVENTH,
    EIGHTH,
    NINTH,
    TENTH,
    ELEVENTH,
    TWELFTH,
    THIRTEENTH,
)
DEVELOPMENT: Final[Wordings] = {sort: tuple(text for wordings in WORDED for text in wordings[sort]) for sort in PLAIN}
ACKNOWLEDGED: Final = ("Understood.", "Noted.", "Got it.", "All right.", "Thanks, that helps.")
IDLE: Final = (
    ("How does the build look?", "Two warnings in the linker, nothing else."),
    ("What is the difference between the two loggers?", "One buffers and the other does not."),
    ("Can you show me the diff?", "It touches three files and forty lines."),
    ("Why is the page slow?", "The query runs once for each row."),
    ("Is the staging host up?", "It answers, yes."),
    ("Read me the last error.", "It complains about a missing semicolon."),
    ("Which tests are flaky?", "Two of them depend on the clock."),
    ("Explain that function to me.", "It folds the list from the right and keeps the first match."),
)
NAMES: Final = (
    "src/{0}/router.py",
    "{1}-{2}",
    "feature/{0}-split",
    "{0}-prod-{3}",
    "{4}_TIMEOUT_MS",
    "v{3}.{2}.1",
    "docs/{0}.md",
)


Slot = tuple[tuple[str, str], ...]
"""Exchanges that stand together."""


def story(seed: int, wordings: Wordings | None = None, told_in: str = "stories") -> Story:
    """A session of two hundred turns; without wordings its plans are of the counted half of a file of stories."""
    chance = random.Random(seed)
    made = Story()
    told: list[tuple[str, str]] = []
    _plant_facts(made, told, chance)
    _plant_names(made, told, chance)
    planted = _plant_plans(made, chance, wordings) if wordings else _plant_stories(made, chance, told_in)
    idle = EXCHANGES - len(told) - sum(len(slot) for part in planted for slot in part)
    told += [chance.choice(IDLE) for _ in range(max(0, idle))]
    # Plans are told first and end last; what else is said stands anywhere.
    chance.shuffle(told)
    share = len(told) // 2
    for part, others in zip(planted, (told[:share], [], told[share:]), strict=True):
        slots = [*part, *((one,) for one in others)]
        for slot in chance.sample(slots, len(slots)):
            for asked, answered in slot:
                made.turns += [("user", asked), ("assistant", answered)]
    return made


def _plant_facts(made: Story, slots: list[tuple[str, str]], chance: random.Random) -> None:
    things = list(THINGS)
    chance.shuffle(things)
    for number, thing in enumerate(things):
        told, question, answer = FACTS[number % len(FACTS)]
        value = chance.choice(VALUES[number % len(FACTS)])
        made.facts.append(Fact(told.format(thing, value), question.format(thing, value), answer.format(thing, value)))
        slots.append((_opened(made.facts[-1].told), chance.choice(ACKNOWLEDGED)))
    for number, (choice, subject) in enumerate(zip(CHOICES, SUBJECTS, strict=True)):
        told, question = DECISIONS[number % len(DECISIONS)]
        said = told.format(choice, subject, chance.choice(REASONS))
        made.decisions.append(Fact(said, question.format(choice, subject), choice))
        slots.append((said, chance.choice(ACKNOWLEDGED)))


def _plant_names(made: Story, slots: list[tuple[str, str]], chance: random.Random) -> None:
    for number, shape in enumerate(NAMES * 2):
        thing = THINGS[number]
        name = shape.format(thing, thing[:4].upper(), chance.randrange(100, 999), chance.randrange(2, 9), thing.upper())
        made.names.append(name)
        slots.append((f"The one to look at is {name}, as far as I can tell.", chance.choice(ACKNOWLEDGED)))


def _plant_plans(made: Story, chance: random.Random, wordings: Wordings) -> tuple[list[Slot], list[Slot], list[Slot]]:
    """How plans begin, and how those end that do."""
    work = list(WORK)
    chance.shuffle(work)
    begun: list[Slot] = []
    ended: list[Slot] = []
    for number, (np, vp, gerund) in enumerate(work):
        states: tuple[PlanState, ...] = ("open", "done", "cancelled")
        state = states[number % 3]
        made.plans.append(PlanTold(np.removeprefix("the "), state))

        def said(sort: str, np: str = np, vp: str = vp, gerund: str = gerund) -> str:
            return chance.choice(wordings[sort]).format(np=np, Np=_opened(np), vp=vp, Vp=_opened(vp), gerund=gerund)

        begun.append(((said("open"), chance.choice(ACKNOWLEDGED)),))
        if state == "cancelled":
            ended.append(((said("cancelled"), chance.choice(ACKNOWLEDGED)),))
        elif state == "done":
            ended.append(((chance.choice(IDLE)[0], said("done")),))
    return begun, [], ended


def _plant_stories(made: Story, chance: random.Random, told_in: str) -> tuple[list[Slot], list[Slot], list[Slot]]:
    """How the plans of stories begin, what happens between, and how they end."""
    begun: list[Slot] = []
    between: list[Slot] = []
    ended: list[Slot] = []
    for one in chance.sample(stories("counted", told_in), PLANS):
        said = tuple(text for block in one.blocks for _, text in block)
        made.plans.append(PlanTold(one.named, cast("PlanState", one.state), said))
        first, *others = (_exchanges(block, chance) for block in one.blocks)
        begun.append(first)
        between += others[:-1]
        ended += others[-1:]
    return begun, between, ended


def _exchanges(block: Sequence[tuple[str, str]], chance: random.Random) -> Slot:
    """Turns as exchanges: what nobody answers is acknowledged, what nobody asked for follows idle talk."""
    found: list[tuple[str, str]] = []
    waiting = False
    for role, text in block:
        if role == "user":
            found.append((text, chance.choice(ACKNOWLEDGED)))
        elif waiting:
            found[-1] = (found[-1][0], text)
        else:
            found.append((chance.choice(IDLE)[0], text))
        waiting = role == "user"
    return tuple(found)


def _opened(text: str) -> str:
    return text[:1].upper() + text[1:]
