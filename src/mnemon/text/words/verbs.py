"""English verb forms as data, and the two inflections the text room needs: third person and form lookup.

Owns the list of common verbs and the irregular forms; knows nothing about sentences. A word outside the list is not
"no verb": callers decide what an unknown word is. Invariant: `forms_of` answers from one table built on first use,
so importing this module costs nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.lexicon import words

BASE: Final = 1
THIRD: Final = 2
PAST: Final = 4
PARTICIPLE: Final = 8
GERUND: Final = 16
NOUNISH: Final = 32  # the same letters are also a common noun or adjective, so the word alone proves nothing

_REGULAR: Final = words("""
accept accomplish achieve acknowledge acquire activate adapt add address adjust admire admit adopt advise
afford agree aim allow announce answer apologize appear apply appreciate approach approve argue arrange
arrive ask assemble assign assist assume attach attempt attend attract avoid award bake balance ban base
battle beg behave believe belong benefit blend book boost borrow bother brainstorm break browse build
bump calculate call camp cancel care carry cause celebrate challenge change charge chat check cheer
choose claim clean clear climb close coach code collaborate collect combine comment commit commute
compare compete complain complete concentrate configure confirm connect consider consist contact contain
continue contribute control convert convince cook cope copy correct count cover crash craft create cross
cruise cry customize cycle damage dance date deal debug decide declare decline decorate dedicate delay
delete deliver demand depend deploy describe deserve design destroy detect determine develop devote die
differ diagnose direct disagree disappear disappoint discover discuss dislike divorce document donate
double download dream dress drop earn edit educate email embark embrace emphasize employ enable encourage
end engage enhance enjoy enroll enrol ensure enter establish estimate evolve examine exceed exchange
excite exercise exist expand expect experience experiment expire explain explore express extend face fail
fall fancy fear feature fetch file fill film finalize finish fish fit fix focus follow force form format
foster frame fund gain gather generate grab graduate greet guess guide handle hand happen hate head help
hesitate highlight hike hire hope host hug identify ignore imagine implement impress improve include
incorporate increase influence inform inherit inspire install integrate intend interest interview
introduce invent invest investigate invite involve join joke judge jump juggle kick kill kiss knock lack
land last laugh launch learn license lift like limit link list listen live load locate lock log look love
maintain manage mark marry master match matter measure meditate mention mentor merge message migrate miss
mix model modify monitor motivate mount move multiply name narrow need negotiate nominate note notice
nurture obtain occur offer open operate optimize order organize organise outline overcome own pack paint
park participate partner pass pause perform persist phone photograph pick place plan plant play please
point polish post postpone pour practice practise praise prefer prepare present press prevent print
process produce program promise promote propose protect prove provide publish pull purchase pursue push
qualify question race raise reach react realize realise rebuild recall receive recognize recommend record
recover recycle redesign reduce refactor refer reflect refresh refuse regret reject relate relax release
relocate rely remain remember remind remodel remove rename renew renovate rent repair repeat replace
reply report represent request require reschedule research resemble reserve resign resolve respect
respond rest restart restore result resume retire return reveal review revise reward ride roast roll row
ruin rule rush sail save schedule score scream search secure seem select serve settle share shift ship
shop shout show shower sign simplify skate sketch skip slow smell smile smoke snow solve sort sound spark
specify spot stabilize stack start stay step stick stop store stream strengthen stress stretch strive structure
struggle study submit subscribe succeed suffer suggest suit supply support suppose surf surprise surround
survive suspect swap swipe switch tackle talk target taste teach team tend test text thank tour touch
track trade train transfer transform translate travel treasure treat trim trust try tune turn tweak type
update upgrade upload urge use value vary view visit volunteer vote wait walk want warm warn wash waste
watch water welcome wish witness wonder work worry wrap yell struggle contemplate embed debounce refine
benchmark cache render commit override deprecate expire specialize major reside reconsider reassess raise
adore despise loathe detest crave favor favour resume quit cherish savor spill grind shine slip expire
renew total average amount near weigh jog knit garden babysit tutor snack breathe chew cough swallow
sneeze nap rehearse ski surf snowboard commute vacation relocate immigrate emigrate inherit lease
mortgage insure invoice refund ship mail vaccinate diagnose prescribe heal ache injure sprain fracture
recover operate schedule power host bill owe lend
""")

_IRREGULAR: Final = (
    """
arise arose arisen|awake awoke awoken|be was been|bear bore born|beat beat beaten|become became become
begin began begun|bend bent bent|bet bet bet|bind bound bound|bite bit bitten|bleed bled bled|blow blew blown
break broke broken|breed bred bred|bring brought brought|broadcast broadcast broadcast|build built built
burn burnt burnt|burst burst burst|buy bought bought|catch caught caught|choose chose chosen|come came come
cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|do did done|draw drew drawn
dream dreamt dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed
feel felt felt|fight fought fought|find found found|fly flew flown|forbid forbade forbidden
forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone
grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held
hurt hurt hurt|keep kept kept|know knew known|lay laid laid|lead led led|learn learnt learnt|leave left left
lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost|make made made|mean meant meant|meet met met
mistake mistook mistaken|overcome overcame overcome|override overrode overridden|pay paid paid|put put put
quit quit quit|read read read|rebuild rebuilt rebuilt|rethink rethought rethought|ride rode ridden|ring rang rung
rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent
set set set|shake shook shaken|shine shone shone|shoot shot shot|show showed shown|shut shut shut|sing sang sung
sink sank sunk|sit sat sat|sleep slept slept|slide slid slid|speak spoke spoken|spend spent spent|spin spun spun
split split split|spread spread spread|spring sprang sprung|stand stood stood|steal stole stolen|stick stuck stuck
strike struck struck|swear swore sworn|sweep swept swept|swim swam swum|swing swung swung|take took taken
teach taught taught|tear tore torn|tell told told|think thought thought|throw threw thrown
understand understood understood|upset upset upset|wake woke woken|wear wore worn|weave wove woven|win won won
withdraw withdrew withdrawn|write wrote written
""".strip()
    .replace("\n", "|")
    .split("|")
)

# Base forms that stand for nouns or adjectives at least as often as for verbs.
_NOUNISH_BASES: Final = words("""
address aim answer approach attempt award balance ban base battle benefit blend book boost break bump
call camp care cause challenge change charge chat check claim clean clear climb close coach code comment
contact control copy correct count cover craft cross cruise cry cycle damage dance date deal decline
delay demand design direct document double download dream dress drop edit email end estimate exercise
exchange experience experiment express face fail fall fancy fear feature fight file fill film finish fish
fit fix focus force form format frame fund gain guess guide hand head help highlight hike hire hope host
hug increase influence interest interview joke judge jump kick kiss lack land last laugh launch lead lift
light like limit link list load lock log look love major mark master match matter measure mentor message
mix model monitor mount move name narrow near need note notice offer open order outline own pack paint
park partner pass pause phone photograph pick place plan plant play point polish post practice praise
present press print process produce program promise purchase push question race raise reach record
refresh regret release rent repair reply report request research reserve respect rest result resume
return review reward ride ring roast roll row rule run rush sail schedule score scream search secure
sense set shape share shift ship shop shot shout show shower sign sketch skip slow smell smile smoke snow
sort sound spark spot stack stay step stick stop store stream stress stretch structure struggle study
suit supply support surf surprise switch talk target taste team test text thought tour touch track trade
train transfer travel treasure treat trim trust tune turn tweak type update upgrade upload value view
visit volunteer vote wait walk warm wash waste watch water welcome wish witness wonder work worry wrap
average total amount cache benchmark commit override win cost bet hit cut split spread put bear light
mean sleep drink drive left found saw felt ground bound lay lives works plans
""")

_DOUBLED: Final = words(
    "plan stop drop ship chat plug shop skip step trim tap swap refer prefer commit submit permit admit occur"
    " grab hug log map pin plot rub scan slip spot transfer travel wrap ban beg jog nod hop run win sit swim"
    " cut get set let put hit quit begin forget dig spin split shut upset stir model enrol program bet fit jam"
    " kid ban cancel"
)
_VOWELS: Final = "aeiou"


def third_person(base: str) -> str:
    """The present-tense form that goes with he, she and it: work, works; try, tries; have, has."""
    if base == "be":
        return "is"
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and len(base) > 1 and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    return base + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    if base in _DOUBLED:
        return base + base[-1] + "ing"
    return base + "ing"


@cache
def verb_table() -> dict[str, tuple[str, int]]:
    """Every known form, mapped to its base and its form bits."""
    table: dict[str, tuple[str, int]] = {}

    def put(word: str, base: str, bits: int) -> None:
        known = table.get(word)
        if known is None:
            table[word] = (base, bits)
        elif known[0] == base or bits & BASE:
            table[word] = (base if bits & BASE else known[0], known[1] | bits)
        else:
            table[word] = (known[0], known[1] | bits)

    for base in _REGULAR:
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(_past(base), base, PAST | PARTICIPLE)
        put(_gerund(base), base, GERUND)
    for row in _IRREGULAR:
        base, past, participle = row.split()
        extra = NOUNISH if base in _NOUNISH_BASES else 0
        put(base, base, BASE | extra)
        put(third_person(base), base, THIRD | extra)
        put(past, base, PAST | (NOUNISH if past in _NOUNISH_BASES else 0))
        put(participle, base, PARTICIPLE)
        put(_gerund(base), base, GERUND)
    return table


def forms_of(word: str) -> int:
    """Form bits of a lower-case word, or 0 when it is not a verb this module knows."""
    found = verb_table().get(word)
    return found[1] if found else 0


def base_of(word: str) -> str:
    """Base form of a known verb form; the word itself when unknown."""
    found = verb_table().get(word)
    return found[0] if found else word
