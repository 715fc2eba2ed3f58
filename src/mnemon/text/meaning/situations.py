"""Future situations in which a remembered statement will matter, by what it states and what it is about.

Owns two lexicons: `BY_CONCERN`, situations for each sort of statement (an allergy, a goal, a deadline), and
`BY_SUBJECT`, situations for the things it names (peanuts, a dog, Berlin, Postgres), found by their terms. Knows
nothing about choosing among them. Invariant: every situation is a short phrase of everyday words, and each list
is long enough that dropping those in the statement's own words leaves three.
"""

from __future__ import annotations

from functools import cache
from typing import Final

BY_CONCERN: Final[dict[str, tuple[str, ...]]] = {
    "allergy": (
        "choosing a restaurant or ordering a meal", "cooking dinner for guests",
        "reading ingredient labels in a shop",
        "packing snacks for a trip", "filling in a medical form", "a rash or trouble breathing after eating",
    ),
    "diet": (
        "choosing a restaurant or ordering from a menu", "planning meals and shopping for groceries",
        "cooking for a dinner party", "catering for an event", "recipe ideas for the week",
    ),
    "health": (
        "seeing a physician or specialist", "planning physical exertion or sport",
        "feeling unwell or low on energy",
        "packing for a journey", "an emergency and whom to call", "taking time off to rest",
    ),
    "dislike": (
        "recommending something to try", "making plans for an evening out", "picking a gift",
        "avoiding an unpleasant surprise", "being offered something unwanted",
    ),
    "preference": (
        "recommending something new", "choosing a present", "planning a free weekend",
        "what would please or relax them",
        "picking between options",
    ),
    "goal": (
        "deciding how to spend time and savings", "an offer that competes for attention",
        "losing motivation halfway",
        "celebrating progress or a milestone", "setting priorities for the coming months",
        "turning something down",
    ),
    "deadline": (
        "planning the week and its priorities", "what is still open or overdue", "taking on more commitments",
        "a calendar conflict", "running out of time", "asking for an extension",
    ),
    "relationship": (
        "birthday and holiday gifts", "planning a get-together", "asking how someone close is doing",
        "whom to call in trouble", "an argument or making up", "introducing people to each other",
    ),
    "loss": (
        "missing someone on an anniversary", "feeling alone or in need of comfort",
        "a quiet house and old memories",
        "condolences and support", "holidays without them",
    ),
    "residence": (
        "local tips for food and outings", "weather and time zone there",
        "shipping a parcel or sharing an address",
        "commuting and public transport", "friends coming to visit", "moving again or renewing a lease",
    ),
    "employment": (
        "writing a resume or cover letter", "negotiating pay or a raise",
        "trouble with colleagues or a supervisor",
        "balancing long hours with private life", "introducing oneself professionally",
        "considering another position",
    ),
    "identity": (
        "filling in a form or profile", "introducing oneself to strangers", "how to address someone properly",
        "planning a celebration", "background that explains a choice",
    ),
    "skill": (
        "helping somebody who lacks that ability", "applying for a position", "volunteering or teaching others",
        "practising to stay fluent",
    ),
    "possession": (
        "repairs and maintenance", "insurance and running costs", "selling or replacing it",
        "lending it to somebody",
    ),
    "plan": (
        "booking tickets and a place to stay", "packing and preparing for departure",
        "asking how it went afterwards",
        "someone suggests the same dates", "a budget for the occasion",
    ),
    "fear": (
        "being invited to try something risky", "a situation that brings back unease",
        "feeling tense or avoiding a place",
        "overcoming an old worry", "needing reassurance",
    ),
    "habit": (
        "a change in daily routine", "being tempted to skip it", "scheduling around fixed times",
        "travel that upsets the rhythm", "wondering whether it is still worth the effort",
    ),
    "value": (
        "a moral dilemma at work or among friends", "being asked to compromise on principles",
        "choosing whom to support", "criticism from others for holding firm",
        "spending against one's convictions",
    ),
    "decision": (
        "second thoughts about the choice", "explaining the reasons to someone",
        "a tempting alternative appears",
        "living with the consequences", "whether it paid off",
    ),
    "budget": (
        "considering an expensive purchase", "an unexpected bonus or windfall", "splurging on a holiday",
        "splitting costs with friends", "feeling guilty about spending",
    ),
    "tool": (
        "setting up a new codebase", "choosing a library or framework", "reviewing a pull request",
        "onboarding another developer", "upgrading dependencies", "performance problems in production",
    ),
    "instruction": (
        "writing the next reply", "formatting an answer", "starting a fresh session",
        "checking work before delivery",
    ),
    "error": (
        "debugging a similar failure", "a release that breaks", "red builds after a change",
        "explaining an outage",
        "looking for a workaround",
    ),
    "procedure": (
        "doing the same job again", "automating a routine chore", "explaining it to a newcomer",
        "something went wrong halfway through",
    ),
    "event": (
        "telling the story later", "asking when it happened and who was there",
        "planning something similar again",
        "looking at old photos", "how it changed things since",
    ),
    "feeling": (
        "asking how they are feeling now", "a difficult day and what helps", "encouragement or comfort",
        "the mood has changed since then",
    ),
}  # fmt: skip
# For statements whose concern is not recognised: what comes up in that part of life.
BY_TOPIC: Final[dict[str, tuple[str, ...]]] = {
    "work": ("preparing a status update", "conflict over priorities at the office", "asking for feedback or a raise"),
    "health": ("seeing a physician", "feeling unwell", "changes in sleep or appetite"),
    "fitness": ("getting back into shape", "sore muscles or an injury", "finding time to move more"),
    "travel": ("booking a place to stay", "packing a suitcase", "ideas for the next holiday"),
    "food": ("choosing where to eat", "planning a menu", "shopping for groceries"),
    "family": ("planning a get-together with relatives", "a present for someone close", "asking how everybody is"),
    "relationships": ("meeting up again", "an argument or making up", "advice about closeness and trust"),
    "finance": ("considering an expensive purchase", "an unexpected bill", "planning for old age"),
    "software": ("debugging something similar", "choosing a library", "onboarding another developer"),
    "education": ("preparing for a test", "choosing a subject", "asking about grades"),
    "home": ("repairs and furnishing", "visitors coming to stay", "moving out or in"),
    "pets": ("a veterinarian appointment", "who looks after the animal while away", "buying food and toys"),
    "sports": ("watching the next match", "getting tickets", "practice and injuries"),
    "music": ("something to listen to", "tickets for a live show", "practising in the evening"),
    "film": ("something to watch tonight", "recommending a similar story", "a streaming subscription"),
    "books": ("something to read on the train", "a present for a bookworm", "discussing the plot"),
    "art": ("a creative afternoon", "visiting an exhibition", "supplies for a hobby"),
    "games": ("an evening with friends online", "a rainy weekend", "beating a hard level"),
    "nature": ("a weekend outdoors", "checking the forecast", "packing boots and a tent"),
    "faith": ("a spiritual question", "religious holidays", "finding inner peace"),
    "society": ("spare time for a good cause", "a debate about justice", "finding like-minded people"),
    "shopping": ("returning something faulty", "looking for a bargain", "what to wear"),
    "vehicles": ("a breakdown on the road", "fuel and parking", "getting somewhere on time"),
    "science": ("explaining the concept again", "solving a similar exercise", "looking up a formula"),
    "events": ("what to bring and what to wear", "asking how it went", "planning the next celebration"),
    "feelings": ("asking how they are now", "a difficult day and what helps", "encouragement or comfort"),
}
_BY_SUBJECT: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("peanut nut almond walnut cashew shellfish shrimp crab lobster egg soy sesame wheat gluten dairy milk lactose "
     "strawberry kiwi fish salmon", ("baking a cake or picking a dessert", "airline and school lunches")),
    ("vegan vegetarian meat beef pork chicken cheese tofu pasta pizza sushi curry spicy soup dessert chocolate cake",
     ("finding somewhere nice to eat", "stocking the fridge", "hosting friends for supper")),
    ("coffee tea espresso caffeine", ("a bad night's sleep", "meeting up at a cafe", "a morning pick-me-up")),
    ("alcohol wine beer drink drinking sober cocktail", ("a toast at a party", "going to a bar with friends",
     "ordering something non-alcoholic")),
    ("dog puppy", ("walks in the park", "a veterinarian appointment", "who looks after the animal while away")),
    ("cat kitten", ("a veterinarian appointment", "who feeds the animal while away", "fur on the furniture")),
    ("hamster rabbit parrot turtle horse pet", ("a veterinarian appointment", "buying food and a cage",
     "who looks after the animal while away")),
    ("car truck van", ("a breakdown or a visit to the garage", "a road trip", "fuel prices and parking")),
    ("bike bicycle cycling", ("getting to the office without public transport", "a flat tyre",
    "a ride on the weekend")),
    ("guitar piano violin cello drum flute sing singing choir band", ("a concert or recital",
    "practising in the evening",
     "noise and the neighbours")),
    ("music jazz rock classical song album playlist", ("something to listen to", "tickets for a live show")),
    ("movie film series show anime documentary", ("something to watch tonight", "a streaming subscription")),
    ("book novel read reading fantasy poetry", ("something to read on the train",
    "a visit to the library or bookshop")),
    ("game gaming chess console", ("an evening with friends online", "time spent in front of a screen")),
    ("paint painting draw drawing pottery ceramic knit sewing photography camera", ("a creative afternoon",
     "visiting a gallery", "buying supplies")),
    ("hike hiking camping mountain climb climbing trail", ("packing boots and a tent", "a weekend outdoors",
     "checking the forecast")),
    ("beach ocean surf surfing swim swimming lake", ("a seaside holiday", "a lazy summer day",
    "getting into the water")),
    ("run running marathon jog jogging", ("sore knees or an injury", "buying new shoes", "getting fit again")),
    ("gym workout yoga pilates weights exercise", ("getting fit again", "a sore back", "a morning routine")),
    ("football soccer basketball tennis baseball hockey golf volleyball", ("watching the match together",
     "getting a ticket for the stadium", "an injury on the court")),
    ("garden gardening plant flower herb", ("watering while away", "buying seeds in spring",
    "a sunny balcony")),
    ("child kid son daughter baby toddler", ("finding a babysitter", "school holidays", "a bedtime story",
     "worrying as a parent")),
    ("mother father mom dad parent grandma grandpa grandmother grandfather", ("caring for ageing relatives",
     "calling home on the weekend", "a family recipe")),
    ("wife husband spouse partner girlfriend boyfriend fiance married marriage wedding",
    ("an anniversary surprise",
     "a romantic evening", "deciding something together")),
    ("brother sister sibling cousin uncle aunt niece nephew", ("a family reunion",
    "asking a relative for help")),
    ("friend friendship roommate neighbor", ("who could come along", "a favour to ask")),
    ("boss manager colleague coworker team", ("conflict at the office", "asking for feedback")),
    ("money debt loan saving budget rent mortgage salary", ("considering an expensive purchase",
    "an unexpected bonus",
     "tightening the belt")),
    ("exam test thesis degree course university college school semester study", ("revising late at night",
     "grades and results", "planning life after graduation")),
    ("flight airport travel trip vacation holiday abroad", ("booking a hotel", "packing a suitcase",
    "jet lag")),
    ("anxiety anxious panic depression stress stressed burnout therapy therapist", ("a sleepless night",
     "saying no to more work", "learning to relax", "feeling overwhelmed")),
    ("diabetes insulin sugar", ("sweets and desserts", "a low on the road")),
    ("asthma lungs smoke smoking cigarette", ("climbing stairs or running", "dust, pollen and smoky rooms")),
    ("back knee shoulder injury surgery wheelchair", ("lifting something heavy", "stairs and long walks",
     "a sport that strains the joints")),
    ("insomnia sleep tired", ("late nights and early alarms", "feeling exhausted")),
    ("plane flying fly", ("taking the train instead", "turbulence and boarding")),
    ("height elevator claustrophobia crowd spider snake dark", ("a situation that causes panic",
    "choosing a safer route")),
    ("python javascript typescript rust java golang react django flask vue angular",
    ("choosing a language or framework",
     "reviewing somebody's code")),
    ("postgres postgresql sqlite mysql redis mongodb database sql", ("data storage and schema changes",
     "slow queries in production")),
    ("docker kubernetes aws azure deploy deployment server", ("releasing to production",
    "hosting costs and outages")),
    ("git github branch commit repo repository", ("opening a pull request", "merging conflicting changes")),
    ("plastic recycling sustainability climate environment", ("shopping with less waste",
    "convenience against conscience")),
    ("church god prayer faith bible mosque", ("a spiritual crisis", "religious holidays")),
    ("volunteer volunteering charity donate shelter", ("spare time on weekends",
    "someone asks for a helping hand")),
    ("phone social media screen instagram tiktok twitter", ("scrolling late at night",
    "needing a digital break")),
    ("birthday", ("buying a present", "planning a party")),
    ("appointment meeting interview presentation", ("finding a free slot in the calendar",
    "preparing what to say")),
    ("promise promised vow", ("being tempted to give in", "keeping one's word")),
    ("accident crash stolen burglary theft robbed scam", ("feeling unsafe or overly cautious",
    "insurance claims",
     "double-checking everything")),
    ("lost died death passed funeral", ("comfort on a hard day", "remembering them on holidays")),
)  # fmt: skip


@cache
def by_subject() -> dict[str, tuple[str, ...]]:
    """Term to situations; computed once, because stems need the stemmer."""
    from mnemon.text.words.tokens import terms

    found: dict[str, tuple[str, ...]] = {}
    for listing, situations in _BY_SUBJECT:
        for word in listing.split():
            for term in terms(word)[-1:]:
                found.setdefault(term, situations)
    return found
