"""The cue phrases by which a statement's kind, weight and durability are recognised.

Owns the lexicon of classification: for each kind the phrases that speak for it and how strongly; further
phrases that raise or lower importance. Written by hand, no figure fitted to data: 3 decides alone, 2 is strong,
1 is a hint. Knows nothing about matching. Invariant: every label is a kind of the model's table or a mark.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.cues import CueTable

KIND_CUES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "instruction": (
        (
            3.0,
            """from now on, going forward, moving forward, for all future, i want you to, i would like you to,
              i need you to, whenever i ask, when i ask, every time i ask, ^ always, ^ never, ^ please always,
              ^ please never, you should always, you should never, you must, you must never, please always,
              please never, call me by, address me as, do not ever, keep your answers, keep your replies,
              respond in, answer in, reply in, respond with, ^ do not use, ^ avoid, please use, please avoid,
              please do not, please stop, i prefer that you, i would prefer you, in future please, by default
              use, ^ make sure, please make sure, be sure to, ^ stop, should always be, must always, must
              never""",
        ),
        (
            1.5,
            """^ please, ^ use, ^ include, ^ keep, ^ do not, please include, as a rule, always include, always
              use""",
        ),
    ),
    "identity": (
        (
            3.0,
            """my name is, i be called, i be named, my full name, my birthday, my pronouns, i be born, years
              old, i be allergic, my allergy, i be vegan, i be vegetarian, i be pescatarian, my blood type, my
              native language, my mother tongue, i identify as, i be left handed, i be diabetic, i be
              autistic, my nationality, i be colorblind, lactose intolerant, gluten intolerant, celiac, i be
              intolerant, i be deaf, i be blind, diagnosed with, i have diabetes, i have asthma, i have adhd,
              i have epilepsy, i suffer from, my age is, my zodiac, my religion, i be raised, my maiden name,
              date of birth""",
        ),
        (
            2.0,
            """i speak, i grew up, i be transgender, i be gay, i be muslim, i be christian, i be jewish, i be
              buddhist, i be hindu, i be catholic, i come from, i be originally from, i be a native, i be
              single, my nickname, my email, my phone number, my height, my weight, i be a mother, i be a
              father, i be a parent, i be an introvert, i be an extrovert, my background, my personality,
              health status, health condition""",
        ),
        (1.0, "i be a person, i be german, i be american, i be a veteran, i be a student, i have always be"),
    ),
    "relationship": (
        (
            3.0,
            """be my wife, be my husband, be my sister, be my brother, be my mother, be my father, be my
              friend, be my best friend, be my boss, be my cousin, be my son, be my daughter, be my partner,
              be my colleague, be my neighbor, be my girlfriend, be my boyfriend, i be married, we be married,
              i be engaged, i be dating, i be divorced, we broke up, my wife be, my husband be, my partner be,
              my boss be, my girlfriend be, my boyfriend be, my best friend be, got along, get along, each
              other for years, friends since, married to, engaged to, in a relationship, my wife 's name,
              named after""",
        ),
        (
            1.5,
            """my sister, my brother, my mother, my father, my mom, my dad, my wife, my husband, my partner,
              my son, my daughter, my kids, my children, my cousin, my uncle, my aunt, my grandma, my
              grandmother, my grandpa, my grandfather, my girlfriend, my boyfriend, my best friend, my friend,
              my friends, my colleague, my coworker, my neighbor, my roommate, my boss, my family, my mentor,
              my team, my niece, my nephew, i friend, i colleague, i team, support from, emotional support,
              support network, friendship""",
        ),
    ),
    "preference": (
        (
            3.0,
            """i prefer, my favorite, my favourite, i like, i love, i enjoy, i adore, i hate, i dislike, i
              loathe, can not stand, not a fan, big fan, huge fan, fond of, i be into, i would rather, my
              preference, i can not stand, i do not like, i detest, obsessed with, i also like, i also love, i
              also enjoy, i really like, i really love, i really enjoy, i always order, my go to, i be
              passionate about, i be not into, i favor, be my favorite, be my favourite, i crave, i value, i
              like to, i love to, i really hate, we love, we like, we enjoy, preference for, preference have,
              preference include""",
        ),
        (
            1.5,
            """prefer, favorite, favourite, enjoy, passion for, taste in, a sucker for, preference, i like *
              better""",
        ),
    ),
    "residence": (
        (
            3.0,
            """i live in, we live in, i live at, i moved to, we moved to, my address, i reside, i be based in,
              i relocated, we relocated, my apartment be, my house be in, my home be in, i settled in, i be
              living in, i have lived in, i just moved, i be moving to, we be moving to, my new apartment, my
              new house, my new place, i bought a house, we bought a house, i rent, live together, lives in,
              lives near, moved back to, hometown be, i live with, i live near""",
        ),
        (1.0, "my apartment, my flat, my house, my neighborhood, my hometown, landlord"),
    ),
    "employment": (
        (
            3.0,
            """i work at, i work for, i work as, i be working at, i be working for, i be working as, my job,
              my employer, my company, i be employed, i got hired, i be promoted, i got promoted, new job, i
              quit my job, i lost my job, i be laid off, my salary, my boss at, i started working, i joined *
              as, i be self employed, i run a business, i own a business, my business, my own business, i be
              retired, i retired, job title, works at, works for, works as, my career, my internship, my
              startup, monthly income, promotion to, i be a freelancer, i freelance, i work from home, i be
              unemployed, my profession, my role""",
        ),
        (
            2.0,
            """i be a nurse, i be a teacher, i be an engineer, i be a developer, i be a doctor, i be a lawyer,
              i be a designer, i be a manager, i be a director, i be a chef, i be a writer, i be a scientist,
              i be a software, i be a data, i be a senior, i be a junior, i be an accountant, i be an artist,
              i be a researcher, i be a consultant, as a software engineer, i be the ceo, i be the cto, i
              teach at""",
        ),
        (
            1.0,
            "job, career, salary, interview, colleagues, office, workplace, promotion, employer, executive, director",
        ),
    ),
    "decision": (
        (
            3.0,
            """i decided, we decided, i have decided, we have decided, i chose, we chose, i have chosen, we
              agreed, i settled on, we settled on, we will go with, i will go with, we be going with, i be
              going with, i opted, we opted, we picked, i made up my mind, final decision, decision be, made
              the decision, the plan be to, we be switching to, i be switching to, i have committed to, we
              will use, decided to, decided against, decided that, i resolved to, i vowed, i promised myself,
              i swore""",
        ),
        (1.0, "chose, choice, instead of, rather than, decision"),
    ),
    "task": (
        (
            3.0,
            """^ remind me, please remind me, you remind me, do not forget to, i need to, i have to, we need
              to, we have to, i must, to do list, todo, deadline, due date, be due, due on, due by, my goal,
              our goal, the goal be, i aim to, i plan to, we plan to, i be planning, we be planning, i be
              going to, i want to become, i hope to, i intend to, i be saving, i be trying to, i be aiming, my
              plan be, appointment, i should, i still need, i want to, remember to, scheduled for, i be
              determined to, assigned to, work toward, working toward, i be preparing, target date, sprint
              ends, milestone, by the end of, i would like to, desire to""",
        ),
        (
            1.0,
            """need to, have to, must, goal, plan, planning, plans, want to, schedule, asap, urgent, before
              friday""",
        ),
    ),
    "event": (
        (
            2.5,
            """i went to, we went to, i attended, we attended, i visited, we visited, i met, we met, i
              graduated, i won, we won, we celebrated, i celebrated, i got married, gave birth, passed away, i
              participated, i took part, i hosted, i joined, i ran a, i finished, i completed, i bought, i got
              a, i had a, i adopted, i attended, i performed, we had a, took a trip, went on a, i signed up,
              happened, i lost, i received, i got accepted, i started, we launched, i launched, i shared,
              shared anecdotes, i spoke, birthday party, wedding be, i presented, i volunteered, i tried, i
              saw, i watched, i just got, i discovered, i submitted, i passed, i failed, i broke, i fell, had
              an accident, changed from, updated * from, i took, we took, i made, i painted, i painted this, i
              found, i signed""",
        ),
        (
            1.5,
            """yesterday, last week, last month, last year, last night, last weekend, days ago, weeks ago,
              months ago, years ago, the other day, this morning, on monday, on tuesday, on wednesday, on
              thursday, on friday, on saturday, on sunday, last friday, last tuesday, last monday, a few days,
              back in, over the weekend""",
        ),
        (
            0.5,
            "went, attended, visited, won, celebrated, trip, wedding, concert, festival, birthday, party, experience",
        ),
    ),
    "activity": (
        (
            2.0,
            """i be learning, i be working on, i have be working, i be reading, i be writing, i be training, i
              be taking, i be studying, i be building, i be playing, i have be learning, i have be practicing,
              i be practicing, i be watching, i be volunteering, i volunteer, these days, i usually, every
              day, every week, every morning, every weekend, i often, i practice, i play, in my free time, in
              my spare time, i have been, i go to, i be doing, i be exploring, we be working, my hobby, my
              hobbies, once a week, twice a week, on weekends, i keep busy, i be into * now, i be trying out,
              i be developing""",
        ),
    ),
    "context": (
        (
            2.5,
            """right now, at the moment, this session, current branch, working directory, i be currently, in
              this chat, in this conversation, i have opened, i be looking at, i be stuck, i be on the, for
              this task, let us continue, where were we, i be debugging, just now""",
        ),
    ),
    "reflection": (
        (
            2.5,
            """i realized, i realised, i learned that, i have learned, looking back, made me realize, in
              hindsight, lesson, i believe, i noticed that, i have noticed, it taught me, taught me, i feel
              like, i feel that, it reminds me, i think that, i be grateful, i be thankful, i be proud, i
              reflected, it matters to me, important to me, i find that, made me think, i feel grateful,
              expressed gratitude, expressed pride, i acknowledged, emphasize the importance, i recognize,
              highlights the importance, i understand that""",
        ),
        (
            1.0,
            """matter most, means a lot, important thing, be key, be important, appreciate, realize,
              realization, insight, grateful, reflect, meaningful, perspective, importance of""",
        ),
    ),
    "error": (
        (
            3.0,
            """traceback, stack trace, error message, throws an, exception, segfault, null pointer, status
              code 500, typeerror, valueerror, syntaxerror, keyerror, failed with, build failed, tests fail,
              test fails, does not compile, crashes when, keeps crashing, returns 500, returns 404, out of
              memory, root cause, getting an error, i be getting an error, permission denied, connection
              refused, timed out""",
        ),
        (1.0, "error, bug, crash, broken, fails, failure"),
    ),
    "procedure": (
        (
            3.0,
            """how to, step 1, first step, steps be, in order to, run the command, to deploy, to build, to
              install, the recipe be, preheat the, follow these steps, the process be, workflow be, and then
              run, then run, the way to, procedure""",
        ),
        (1.0, "first * then, then click, finally run, recipe"),
    ),
    "transient": (
        (
            3.0,
            """good morning, good night, good evening, how be you, how be it going, be right back, talk to you
              later, talk soon, see you, take care, no worries, no problem, you be welcome, sounds good,
              sounds great, sounds like, have a good, have a great, have a nice, thank you so much, keep it
              up, let me know, long time no see, what be up, nice to meet, catch you later, good luck, keep me
              posted, great to hear, good to hear, glad to hear, way to go, well done, keep going, i be back,
              that be great, that be awesome, that be amazing, that be cool, that looks, that sounds, be so
              cool, hope you, can not wait to hear""",
        ),
        (
            2.0,
            "^ thanks, ^ thank you, ^ hey, ^ hi, ^ hello, ^ bye, ^ wow, ^ cool, ^ awesome, ^ congrats, ^ lol, ^ haha",
        ),
        (1.0, "i be tired, i be hungry, i be bored, weather, it be raining, your support, glad you"),
    ),
}
MARK_CUES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "asked to be remembered": (
        (
            1.0,
            """remember that, please remember, keep in mind, do not forget, note that, make a note, remember
              this, save this, for the record, important to remember, never forget, ^ remember, ^ note to
              self, ^ important, for future reference, store this, write this down, remember i, remember my""",
        ),
    ),
    "health or safety": (
        (
            1.0,
            """allergic, allergy, anaphylaxis, epipen, diabetes, diabetic, asthma, epilepsy, epileptic,
              medication, prescription, insulin, surgery, diagnosed, cancer, pregnant, pregnancy, heart
              condition, blood pressure, celiac, intolerant, intolerance, seizure, depression, emergency
              contact, blood type, side effects, chronic, migraine, disability, wheelchair, pacemaker,
              immunocompromised, panic attack, sober, relapse""",
        ),
    ),
    "deadline": (
        (
            1.0,
            """deadline, due date, be due, due on, due by, overdue, expires, expiry, by tomorrow, by friday,
              by monday, by the end of, no later than, before the end of, last day to, submission,
              appointment, exam, flight""",
        ),
    ),
    "life event": (
        (
            1.0,
            """died, passed away, funeral, married, wedding, gave birth, baby, divorced, divorce, engaged,
              graduated, retired, laid off, got fired, be fired, promoted, accident, hospital, moved to, new
              job, bought a house, adopted""",
        ),
    ),
    "constraint": (
        (
            1.0,
            """can not eat, do not eat, can not use, not allowed, must not, only use, budget be, at most, no
              more than, can not afford, never eat, i never, i only, off limits, forbidden, i refuse""",
        ),
    ),
    "hedge": ((1.0, "maybe, might, perhaps, possibly, not sure, i guess, probably, i wonder, could be, supposedly"),),
    "season": (
        (
            1.0,
            """this semester, next semester, this term, this quarter, this season, school year, academic year,
              this year, until graduation, for the next year, during my internship, this summer, this winter""",
        ),
    ),
}
_COMMANDS: Final = """
    use include avoid keep provide give show format write explain answer respond reply add mention ask list remember
    call speak translate summarize start end limit present describe offer suggest highlight return state note cite
    check confirm refer make put tell let prefer focus assume treat name run stick report tailor combine prioritize
    recommend break compare display convert round link quote sign commit push share send delete test document
"""
STANDING: Final = "standing"
_STANDING_CUES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    STANDING: (
        (
            1.0,
            """from now on, from here on, going forward, moving forward, for all future, in future please, in
              the future please, every time i, each time i, any time i, when i ask, whenever i, when i say,
              when i mention, when i request, when i inquire, when i be asking, when you answer, when you
              respond, when you reply, when you write, when you explain, when you give, when you provide, when
              you suggest, when you recommend, when answering, when explaining, when discussing, when
              suggesting, i prefer, i really prefer, i would prefer, i generally prefer, i usually prefer, i
              strongly prefer, i also prefer, i much prefer, i would rather, we prefer, my preference be, i
              want you to, i need you to, i would like you to, you should always, you should never, you must
              always, you must never, you must not, ^ make sure, please make sure, and make sure you, make
              sure you, be sure to, as a rule, by default use, call me by, address me as, respond only in,
              respond in, answer in, reply in, only respond, only answer, your answers should, your replies
              should, your responses should, no matter what, please do not, please refrain, ^ always, ^ never,
              ^ please always, ^ please never, ^ do not ever, ^ avoid, kindly use, please stop, do not ever,
              remember to always, ^ do not use, ^ only use, ^ do not""",
        ),
        (1.0, ",".join(f"always {word}" for word in _COMMANDS.split())),
        (1.0, ",".join(f"never {word}" for word in _COMMANDS.split())),
        (1.0, ",".join(f"please {word}" for word in ("use", "always", "never", "avoid", "include", "keep", "respond"))),
    ),
}
# Weight 2 speaks for itself; weight 1 needs company or a statement of some length.
DURABLE_CUES: Final[dict[str, tuple[tuple[float, str], ...]]] = {
    "decision": (
        (
            2.0,
            """i decided, i have decided, i made the decision, i chose to, i resolved, i vowed, i promised, i
              swore, i be committed, i made a promise, i gave up, i have stopped, i no longer, i have sworn,
              we decided, i refuse, be why i, that be why, the reason i, i have eliminated, i have cut out, i
              made up my mind""",
        ),
        (
            1.0,
            """i committed, i stopped, i quit, i started, i have started, i switched, i signed up, i began, we
              moved, i cut out, i cut back, i ditched, i deleted, i eliminated, convinced me, pushed me to,
              made me, led me to, i turned, i set a, i set up, i enrolled, i joined, i have made it, i have be
              trying, i adopted, ever since, since then, i swapped, i now, i have learned to, i learned to, i
              finally""",
        ),
    ),
    "goal": (
        (
            2.0,
            """my goal, i be determined, i be saving, i be working toward, i be working towards, my dream be,
              i dream of, i intend to, i be training for, i be aiming, my ambition, my plan be to, i aim to""",
        ),
        (
            1.0,
            """i want to, i plan to, i hope to, someday, one day i, i be practicing, i be building, by next
              year, before i turn, i be learning, i be studying, i be preparing, so i can, so that i can, i be
              planning, because i want, i be trying to, i be focused on, i be taking""",
        ),
    ),
    "value": (
        (
            2.0,
            """i value, i believe in, important to me, matters to me, matters most, i stand for, i care about,
              my principle, my values, my priority, i prioritize, means everything, i feel strongly, my
              belief, i strongly believe, i cherish""",
        ),
        (
            1.0,
            """i believe, i respect, i think it be important, i admire, i prefer, i be convinced, i trust,
              honesty be, i always try, it be important to, can not stand""",
        ),
    ),
    "constraint": (
        (
            2.0,
            """i can not eat, i do not eat, i never, i be not allowed, i would never, i stay away, i do not
              trust, i be terrified of, i be afraid of, i be scared of, i do not drink, i can not drink""",
        ),
        (
            1.0,
            """i can not, i could not, i do not, i only, i avoid, i have to, i must, i limit, i be not able, i
              keep away, i be afraid, i be scared, terrified, i hate, i will not, i have not be able, i be
              careful, my fear, makes me""",
        ),
    ),
    "health": (
        (
            2.0,
            """allergic, i be diagnosed, diagnosed with, medication, my anxiety, my depression, chronic, my
              asthma, i be sober, my recovery, i be vegetarian, i be vegan, intolerant, my diet, my condition""",
        ),
        (
            1.0,
            """diagnosed, my doctor, my therapist, my back, injury, surgery, panic attacks, panic attack,
              insomnia, migraine, i have be feeling, burnout, pregnancy, i have felt, vegetarian, vegan,
              accident, my health""",
        ),
    ),
    "habit": (
        (
            2.0,
            """i always, i usually, every morning, every night, every weekend, my routine, i make it a point,
              i double check, i tend to, twice a week, once a week, each morning, every single""",
        ),
        (
            1.0,
            """every day, every week, every sunday, i make sure, i wake up, i often, i constantly, i still, i
              keep, i try to, i set, before bed, i check, i have become, i have be more, i grew up, after i,
              after my, since my, i used to""",
        ),
    ),
}


@cache
def statement() -> CueTable:
    """The table of kinds and marks, matched in one pass."""
    return CueTable({**KIND_CUES, **MARK_CUES, **_STANDING_CUES})


@cache
def standing() -> CueTable:
    """The table of standing instructions alone."""
    return CueTable(_STANDING_CUES)


@cache
def durable() -> CueTable:
    """The table of lasting first-person statements."""
    return CueTable(DURABLE_CUES)
