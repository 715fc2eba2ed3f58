"""Words that say what kind of thing a capitalised name beside them is.

Owns the cue lists of entity finding: endings ("... University"), words before ("in", "met"), words after
("said", "project"), and capitalised words that name nothing. Knows no names itself (see gazetteer).
Invariant: all entries are lower case, and a cue never decides against an alias the caller knows.
"""

from __future__ import annotations

from typing import Final

from mnemon.text.words.lexicon import labelled, words

# The last word of a name, by kind.
ENDINGS: Final = labelled(
    {
        "organization": """
            inc inc. ltd ltd. llc corp corp. corporation gmbh ag plc co. company university college
            institute school academy bank hospital clinic church museum foundation association society
            committee council agency ministry department club team orchestra band union party group labs
            studio studios records press airlines airways hotel restaurant cafe bakery library gym theatre
            theater charity partners consulting ventures capital insurance motors pharmaceuticals police
            army navy senate parliament congress court shelter store
            """,
        "location": """
            street road avenue boulevard lane square park garden gardens forest woods lake river creek
            falls waterfall mountain mountains mount hill hills valley canyon desert beach bay coast
            island islands ocean sea city town village county province state district airport station
            bridge harbor harbour port castle palace tower trail pass peninsula peak glacier plaza market
            neighborhood zoo reef cave springs ranch farm
            """,
        "event": """
            festival conference summit marathon olympics championship championships tournament cup war
            wedding party gala concert expo fair parade hackathon workshop meetup awards carnival ceremony
            reunion retreat week day eve con fest race derby convention
            """,
        "service": "api service server cloud gateway bot",
        "project": "project app initiative programme program campaign",
        "technology": "framework library database engine os sdk cli",
    }
)
STARTS: Final = labelled(
    {
        "location": "mount lake saint st. port fort cape upper lower downtown",
        "organization": "university bank church club hotel museum team",
        "project": "project operation",
    }
)
HONORIFICS: Final = words(
    """
    mr mr. mrs mrs. ms ms. miss dr dr. prof prof. professor doctor sir lady lord uncle aunt aunty auntie
    grandma grandpa captain president coach pastor rabbi father sister brother judge senator nurse chef
    king queen prince princess pope mom mum dad
    """
)
KIN: Final = words(
    """
    friend friends brother sister wife husband mom mum mother dad father son daughter kid child baby
    colleague coworker co-worker boss manager uncle aunt cousin neighbor neighbour roommate flatmate
    girlfriend boyfriend partner fiance fiancee grandma grandmother grandpa grandfather nephew niece
    mentor teacher tutor coach doctor therapist dentist landlord twin buddy teammate classmate client
    brother-in-law sister-in-law stepson stepdaughter
    """
)
PERSON_BEFORE: Final = KIN | words(
    """
    met called told asked texted emailed hugged married dated thanked named invited saw hired fired hey hi
    hello dear thanks bye goodbye congrats congratulations remember miss knows love sincerely
    cheers
    """
)
PERSON_AFTER: Final = words(
    """
    said says told tells asked asks thinks thought loves likes hates lives lived works worked wants wanted
    called calls texted emailed married moved went came invited prefers enjoys feels felt knows believes
    explained mentioned suggested recommended helped taught studies studied bought baked cooked drove
    sings plays played plans hopes agreed disagreed replied wrote laughed cried smiled joined graduated
    retired
    """
)
LOCATION_BEFORE: Final = words("in near visit visiting visited toward towards around across outside inside throughout")
MOTION: Final = words(
    """
    moved move moving went go going goes gone travel traveled travelled traveling travelling trip trips
    flight fly flew flying drive drove driving relocate relocated relocating back return returned
    returning get getting got headed heading way road come came arrived tour vacation visit train bus
    journey
    """
)
SPEECH: Final = words(
    """
    talk talked talking speak spoke speaking wrote write listen listened said say gave give sent send
    married engaged close thanks introduced showed explained reach lied apologized apologised told
    """
)
WORK: Final = words(
    """
    work works worked working job interview interviewed interviewing consultant engineer developer manager
    internship intern role position employed career start started starting
    """
)
COMPANY: Final = words(
    "lunch dinner coffee talk talked spoke met meet meeting went live living lives hang hanging date walk"
)
ORGANIZATION_BEFORE: Final = words("at joined joining founded acquired sued via")
TECHNOLOGY_BEFORE: Final = words(
    "using use uses used learn learning learned install installed installing upgrade upgraded migrated"
)
PROJECT_NEAR: Final = words("project app repo repository codebase prototype release module package branch product")
CONCEPTS: Final = words(
    """
    english german french spanish italian portuguese dutch russian chinese mandarin cantonese japanese
    korean arabic hebrew hindi turkish polish swedish norwegian danish finnish greek latin czech hungarian
    romanian thai vietnamese indonesian american british european african asian indian mexican brazilian
    canadian australian irish scottish swiss austrian christian muslim jewish buddhist hindu catholic
    protestant buddhism islam christianity judaism hinduism victorian renaissance celsius fahrenheit
    """
)
ROLES: Final = words(
    """
    director manager engineer officer president developer analyst consultant designer architect lead
    specialist assistant coordinator administrator executive secretary
    """
)
# Capitalised only because a sentence starts, or for emphasis.
PLAIN: Final = words(
    """
    i i'm i've i'll i'd im ive a about absolutely actually after again ah aha all alright also although
    always am amazing an and another any anyone anything anyway are as ask at aw aww awesome be beautiful
    because before being best both bring btw build but by bye call can can't cannot care check cheers come
    congrats congratulations cool could create currently dear definitely describe despite did didn't do
    does doesn't don't done due during each eating either enjoy especially even eventually every everyone
    everything exactly excited explain family finally find first for friends from fun fyi get getting give
    given glad go going gonna good got great guess ha haha had happy has hasn't have haven't having he
    he'd he'll he's health hello help hence her here here's hey hi him his hmm home honestly hope
    hopefully how how's however huh if implement in indeed instead is isn't it it'd it'll it's its just
    keep kind know last lately later let let's life like likewise little live lol look looking looks lots
    love lovely loving make making man many may maybe me meanwhile might mine money monday more moreover
    most mostly much music must my nah nature need never next nice no nope not note nothing now of oh ok
    okay omg on once one only oops or our out over people perhaps please plus pretty prior probably quick
    quite really recently remember right rn running same say seeing seems set she she'd she'll she's
    should show similarly simple since so some someone something sometimes soon sorry sounds still stop
    such super sure take taking thank thankfully thanks that that'll that's the their them then there
    there's therefore these they they'd they'll they're they've thing things think this those though
    thought through thus till time to today together tomorrow tonight too totally traveling true truly try
    trying u ugh understood unfortunately unless until up update use using usually very wait wanna want
    was wasn't watch way we we'd we'll we're we've welcome well were what what's whatever when whenever
    where where's whether which while who who's whoa why will with without won't wonderful work working
    would wow write yay yea yeah yep yes yesterday yet yo you you'd you'll you're you've your yours yup
    add added adding added ensure fix fixed step example summary conclusion overview introduction option
    question answer tip tips key new old big small long short high low our each both few several many
    total part section chapter figure table page item list type name date number value result results
    total ps pm lmao ooh aah hooray yikes phew
    """
)
CALENDAR: Final = words(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    january february march april may june july august september october november december jan feb mar apr
    jun jul aug sep sept oct nov dec spring summer autumn fall winter
    """
)
# Written in capitals without being a name.
LOUD: Final = words(
    """
    ok lol omg yes no not so fyi asap diy tbh am pm tv id very never always all love wow hi hey lmao wtf
    idk imo imho btw rip aka eta faq ceo cto cfo vp hr pr qa ui ux it ad bc ac dc todo note warning
    important new free stop please must do don't too really and or the is are was you me my we he she they
    faqs diys ps pdf ny xl xs gps dna sms atm pto nda
    """
)
