"""Spellings and words that say the same, words that say nothing, and words that must never be lost.

Owns the small lexicons behind text-level duplicate checks, all in the form `tokens.terms` yields. Knows
nothing about vectors or thresholds. Invariant: `canonical` is idempotent, and a filler is never guarded.
"""

from __future__ import annotations

from typing import Final

from mnemon.text.words.lexicon import labelled, words

# Each line: the canonical term, then the terms it replaces. Only pairs that are safe in every context.
_SAME: Final = labelled(
    {
        "mother": "mom mum mommi mummi mama mam",
        "father": "dad daddi papa",
        "grandmoth": "grandma granni gran nana",
        "grandfath": "grandpa granddad",
        "child": "kid children",
        "bicycl": "bike",
        "televis": "tv telli",
        "telephon": "phone",
        "photo": "photograph pic",
        "refriger": "fridg",
        "okay": "ok k okey",
        "thank": "thx ty thanx",
        "you": "u ya",
        "your": "ur",
        "because": "becaus cuz coz bc cos",
        "favorit": "favourit fav fave",
        "color": "colour",
        "center": "centr",
        "theater": "theatr",
        "neighbor": "neighbour",
        "organ": "organis",
        "realiz": "realis",
        "apolog": "apologis",
        "gray": "grey",
        "travel": "travell",
        "jeweleri": "jewelleri",
        "tire": "tyre",
        "program": "programm",
        "licens": "licenc",
        "behavior": "behaviour",
        "flavor": "flavour",
        "honor": "honour",
        "humor": "humour",
        "labor": "labour",
        "christma": "xmas",
        "info": "inform",
        "app": "applic",
        "approximately": "approx",
        "veget": "veggi",
        "pajama": "pyjama",
        "airplan": "aeroplan plane",
        "postgresql": "postgr",
        "kubernet": "k8s",
        "javascript": "js",
        "typescript": "ts",
        "repositori": "repo",
        "databas": "db",
        "configur": "config",
        "and": "n",
        "tonight": "tonit tonite",
        "though": "tho",
        "through": "thru",
        "pleas": "pls plz",
        "peopl": "ppl",
        "go": "gonna",
        "0": "zero",
        "1": "one",
        "2": "two",
        "3": "three",
        "4": "four",
        "5": "five",
        "6": "six",
        "7": "seven",
        "8": "eight",
        "9": "nine",
        "10": "ten",
        "11": "eleven",
        "12": "twelv",
        "13": "thirteen",
        "14": "fourteen",
        "15": "fifteen",
        "16": "sixteen",
        "17": "seventeen",
        "18": "eighteen",
        "19": "nineteen",
        "20": "twenti",
        "30": "thirti",
        "40": "forti",
        "50": "fifti",
        "60": "sixti",
        "70": "seventi",
        "80": "eighti",
        "90": "nineti",
        "100": "hundr",
        "1000": "thousand",
        "1st": "first",
        "2nd": "second",
        "3rd": "third",
    }
)

# Leave the meaning as it is: articles, auxiliaries, softeners, interjections.
FREE: Final = words(
    """
    a an the that which am is are was were be been do doe did have has had veri realli just so too also still
    actual liter simpli obvious absolut truli inde alreadi oh ah uh um umm hmm hm er erm huh wow hey hi hello
    yo yeah yea yep yup okay anyway anyhow btw fyi lol haha hah kinda sorta there it such and s t ll m re ve d
    """
)
# Free only as the first words of a text: "right, I will" but not "turn right".
LEADING_FILLERS: Final = FREE | words(
    """
    well right then now yes thank pleas sure alright ha ooh aw aww ugh gosh omg damn welp phew whoa yay hooray
    ahh ohh mhm aha gee woah oof mmm hmmm jeez geez sheesh yike oop whoop
    """
)
# A few words set off by a comma are an aside when one of these is among them and the rest are function words:
# "to tell the truth," "on a side note,". Hopes and doubts are no asides, they change what is stated.
DISCOURSE: Final = words(
    """
    truth tell told honest frank fact matter note side way point case record word short long stori brief sum
    end day thing look listen see believ happen worth boy man dude girl guy folk buddi god gosh good heck lord
    dear speak mention said say ask guess think thought know rememb remind recal luckili fortun unfortun sad
    surpris interest funni enough strang odd obvious clear basic essenti general overal anyway anyhow besid
    moreov furthermor addit plus again quick updat question topic subject relat random fun great news serious
    person evid talk joke mind real cours rate event exampl sure cool agre exact thank right ultim inde well
    total complet definit certain
    """
)
# "Well, you know, ..." is filler; "I know Anna" and "the way home" are not, so these only count as phrases.
FILLER_PHRASES: Final = (
    ("by", "the", "way"), ("you", "know"), ("i", "mean"), ("kind", "of"), ("sort", "of"), ("in", "fact"),
    ("to", "be", "honest"), ("of", "cours"), ("as", "you", "know"), ("for", "the", "record"), ("i", "guess"),
    ("just", "so", "you", "know"), ("at", "the", "end", "of", "the", "day"), ("like", "i", "said"),
    ("as", "a", "matter", "of", "fact"), ("let", "me", "tell", "you"), ("no", "worri"), ("no", "problem"),
    ("good", "morn"), ("quick", "note"), ("note", "to", "self"), ("not", "go", "to", "lie"), ("fun", "fact"),
    ("long", "stori", "short"), ("believ", "it", "or", "not"), ("between", "you", "and", "me"),
    ("come", "to", "think", "of", "it"), ("for", "what", "it", "worth"),
)  # fmt: skip
# Filler only when set off by a comma: "no kidding, ..." but "I have no kids".
ASIDE_PHRASES: Final = frozenset(
    {
        *FILLER_PHRASES, ("you", "will", "not", "believ", "this"), ("if", "you", "ask", "me"), ("no", "kid"),
        ("not", "to", "mention"), ("no", "doubt"), ("all", "thing", "consid"), ("as", "i", "said", "befor"),
        ("keep", "it", "up"), ("way", "to", "go"), ("you", "are", "right"), ("guess", "what"),
    }
)  # fmt: skip

NEGATIONS: Final = words("not no never none noth nobodi nowher neither nor without hard bare rare seldom")
QUANTIFIERS: Final = words(
    """
    all ani everi each both some few mani much most more less least onli half twice onc alway usual often
    sometim almost or but
    """
)
MODALS: Final = words("will would shall should can could may might must ought need want use plan hope if unless")
# Added to a statement they turn it around.
REVERSALS: Final = words(
    """
    forget delet remov cancel stop quit wrong fals incorrect ex fake deni doubt reject declin fail except
    refus former longer untru disagre mistak revok disabl deprec pretend suppos alleg
    """
)
DIRECTIONS: Final = words(
    """
    from to into onto toward befor after until till sinc up down in out on off over under abov below behind
    between through against with for about at than left right north south east west instead rather as
    """
)
DAYS: Final = words(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun januari februari
    march april june juli august septemb octob novemb decemb jan feb mar apr jun jul aug sep sept oct nov dec
    today tomorrow yesterday tonight morn afternoon even night noon midnight week month year weekend spring
    summer autumn fall winter last next ago now former current previous decad centuri hour minut daili week
    month am pm
    """
)
PERSONS: Final[dict[str, str]] = labelled(
    {
        "i": "i me my mine myself",
        "we": "we us our ours ourselv",
        "you": "you your yours yourself yourselv",
        "he": "he him his himself",
        "she": "she her hers herself",
        "they": "they them their theirs themselv",
        "who": "who whom whose",
    }
)


def canonical(term: str) -> str:
    """The term that stands for all its spelling variants; the term itself where there are none."""
    return _SAME.get(term, term)
