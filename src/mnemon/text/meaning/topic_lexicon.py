"""Words that place a text in one of a small closed set of domains of life.

Owns the listing, in plain words; they are compared as terms. Knows nothing about scoring. A word is listed where it
speaks for one domain nearly always; words at home in several are left out. Invariant: the set of topics is closed.
"""

from __future__ import annotations

from functools import cache
from typing import Final

_TOPICS: Final[dict[str, str]] = {
    "work": """
        job work office boss manager colleague coworker meeting client career promotion salary employer
        employee project deadline interview resume workplace internship shift overtime freelance hr workload
        presentation team layoff hired startup business company coworkers profession
    """,
    "health": """
        health doctor hospital medicine medication therapy therapist illness sick pain allergy allergic
        surgery symptom diagnosis diagnosed disease injury injured anxiety depression sleep insomnia blood
        asthma diabetes dentist clinic nurse prescription vaccine headache migraine fever mental stress
        burnout wellness physician cancer pregnant pregnancy recovery rehab checkup
    """,
    "fitness": """
        gym workout exercise running run marathon yoga pilates lifting cardio training trainer swim swimming
        cycling jog jogging stretching muscles weights crossfit steps fitness athletic hiit
    """,
    "travel": """
        travel trip flight airport hotel vacation holiday passport visa luggage suitcase tour tourist
        itinerary abroad roadtrip airline booking cruise backpacking sightseeing hostel journey destination
        train airbnb
    """,
    "food": """
        food eat eating restaurant cook cooking recipe dinner lunch breakfast meal bake baking coffee tea wine
        beer pizza pasta salad vegetarian vegan dessert snack kitchen chef spicy cuisine fruit vegetable
        chocolate cake bread cheese soup sushi chicken fish meat rice dairy gluten peanut nut shellfish
        ingredient ice-cream smoothie grocery diet delicious tasty
    """,
    "family": """
        family mother father mom dad parent parents son daughter brother sister sibling kids child children
        baby wife husband grandma grandpa grandmother grandfather uncle aunt cousin niece nephew spouse
        toddler stepmother parenting
    """,
    "relationships": """
        friend friends friendship girlfriend boyfriend partner dating date married marriage wedding engaged
        divorce breakup love relationship roommate neighbor romance fiance anniversary
    """,
    "finance": """
        money budget savings save loan debt mortgage bank invest investment stock stocks tax taxes insurance
        income expense expenses rent payment credit pension bill bills retirement fund euro dollar price
        afford paycheck crypto bitcoin portfolio
    """,
    "software": """
        code coding software bug database api server deploy deployment python javascript typescript rust java
        react backend frontend git github docker kubernetes sql postgres sqlite redis linux framework library
        test tests commit branch repo repository script cloud app website developer programming algorithm
        cache endpoint migration compiler refactor debug login authentication query schema json html css
    """,
    "education": """
        school university college class course exam study studying student teacher professor homework lecture
        semester degree thesis graduate graduated graduation tutor learn learning scholarship campus
        curriculum essay classroom kindergarten phd
    """,
    "home": """
        house apartment flat home kitchen garden gardening furniture bedroom renovation moving landlord lease
        cleaning laundry neighborhood roof paint repair decor couch sofa balcony garage plumbing chores
    """,
    "pets": """
        dog cat puppy kitten pet vet hamster parrot turtle fish-tank leash rabbit horse guinea-pig bird
        shelter rescue breed paw aquarium
    """,
    "sports": """
        football soccer basketball tennis baseball hockey golf match tournament team coach league score goal
        player skiing snowboarding surfing climbing volleyball cricket rugby championship olympics athlete
        boxing
    """,
    "music": """
        music song guitar piano violin cello drums band concert album playlist sing singing singer jazz rock
        classical orchestra melody lyrics festival choir instrument spotify vinyl
    """,
    "film": """
        movie film movies cinema series tv show episode actor actress director netflix documentary screenplay
        anime trailer sitcom thriller hollywood
    """,
    "books": """
        book books novel read reading author library poem poetry story fiction literature chapter kindle
        bookstore fantasy memoir writing writer manuscript publisher
    """,
    "art": """
        art painting paint drawing draw sketch sculpture pottery museum gallery photography photo camera
        canvas artist design craft crafts exhibition watercolor ceramics knitting sewing
    """,
    "games": """
        game games gaming videogame chess console playstation xbox nintendo board-game puzzle esports dnd
        tournament boardgame
    """,
    "nature": """
        nature hike hiking mountain forest beach ocean lake river camping park garden wildlife animal animals
        tree flower plant plants sunset outdoors environment climate sustainability recycling conservation
        trail
    """,
    "faith": """
        church god prayer pray faith religion religious bible mosque temple synagogue spiritual meditation
        buddhist christian muslim jewish hindu pastor ramadan
    """,
    "society": """
        politics political government election vote president law rights activism activist community volunteer
        volunteering charity donate donation protest policy nonprofit homeless refugee equality lgbtq pride
        military veteran
    """,
    "shopping": """
        buy bought purchase store shop shopping mall order delivery gift present discount sale amazon brand
        clothes shoes dress jacket fashion outfit wardrobe jewelry necklace
    """,
    "vehicles": """
        car bike bicycle motorcycle truck drive driving license parking gas garage mechanic tesla engine tire
        van scooter commute traffic
    """,
    "science": """
        science research experiment physics chemistry biology math mathematics theorem equation triangle
        probability laboratory scientist hypothesis statistics astronomy space telescope data geometry paper
        journal
    """,
    "events": """
        party birthday celebration wedding festival conference ceremony reunion event holiday christmas
        thanksgiving halloween easter invitation anniversary parade gathering
    """,
    "feelings": """
        happy sad angry anxious worried excited proud grateful lonely afraid scared fear stressed overwhelmed
        frustrated hopeful nervous joy grief depressed confident confidence motivation motivated emotional
        feelings
    """,
}
TOPICS: Final = tuple(_TOPICS)


@cache
def topics_by_term() -> dict[str, tuple[str, ...]]:
    """Term to the topics it speaks for; computed once, because stems need the stemmer."""
    from mnemon.text.words.tokens import terms

    found: dict[str, list[str]] = {}
    for topic, listing in _TOPICS.items():
        for word in listing.split():
            for term in terms(word)[-1:]:
                labels = found.setdefault(term, [])
                if topic not in labels:
                    labels.append(topic)
    return {term: tuple(labels) for term, labels in found.items()}
