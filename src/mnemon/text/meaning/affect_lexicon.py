"""Words, signs and emoji that carry feeling, with their valence.

Owns the affect lexicon: small, written for this purpose, in the form `tokens.terms` yields, each word with a
valence from -1 to 1. Knows nothing about sentences, negation or emphasis. Invariant: no word has two valences.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mnemon.text.words.lexicon import page

_PAGE: Final = page("affect")

_BY_VALENCE: Final[dict[float, str]] = {
    1.0: """
        love loved adore ecstatic thrilled overjoyed amazing wonderful fantastic brilliant perfect incredible best
        magnificent delighted euphoric blissful phenomenal outstanding excellent superb
    """,
    0.8: """
        great awesome excited exciting happy joy joyful proud pride beautiful fabulous terrific stunning gorgeous
        win won winning victory celebrate celebrating celebration congratulations congrats hooray yay blessed
        grateful gratitude thankful rewarding inspiring inspired triumph breakthrough married engaged graduated
        promoted promotion dream
    """,
    0.6: """
        good glad nice enjoy enjoyed enjoyable fun pleased pleasant lovely cool sweet lucky fortunate success
        successful succeed achieve achieved accomplished improve improved improvement better appreciate thank
        thanks like liked favorite favourite cherish hope hopeful optimistic optimism confident comfortable
        peaceful calm relaxed relaxing refreshing satisfied satisfying support supportive solved passed
        healed recovered recovery cozy fulfilling passionate passion motivated energetic encouraged impressed
        impressive laugh laughed smile smiled admire trust
    """,
    0.4: """
        interesting interested curious helpful useful easy smooth ready relief relieved prefer kind
        friendly warm welcome safe healthy clean fresh bright strong growth progress
    """,
    -0.4: """
        boring bored tired tiring busy slow difficult difficulty hard tricky confusing confused unsure uncertain
        doubt nervous odd strange weird awkward unlucky unfortunate unfortunately miss missed missing delay delayed
        late expensive messy noisy uncomfortable disagree mild complain complained challenging tough struggle
        struggling struggled
    """,
    -0.6: """
        bad sad upset unhappy annoyed annoying frustrated frustrating frustration disappointed disappointing
        disappointment worried worry worries anxious anxiety stress stressed stressful overwhelmed overwhelming
        lonely hurt hurts pain painful sick ill illness fail failed fails failure failing wrong mistake error errors
        broken broke crash crashed crashes bug bugs problem problems issue trouble regret sorry guilty ashamed
        embarrassed embarrassing jealous scared afraid fear lost lose losing losses sucks dislike reject rejected
        rejection cry cried crying argument fight fought conflict injured injury unfair useless incorrect exhausted
        exhausting burnout tense rude quit fired
    """,
    -0.8: """
        angry anger furious mad terrible awful horrible hate hated hates disgusting disgusted depressed depressing
        depression heartbroken miserable desperate panic panicked nightmare disaster catastrophe cancer divorce
        divorced bankrupt accident emergency attack attacked violent violence abuse abused betrayed hospital
        hospitalized outage breach hopeless suffering suffer suffered grief grieving mourning traumatic trauma
        terrified worst toxic crisis
    """,
    -1.0: """
        died dead death dying killed murder suicide devastated devastating tragedy tragic worthless hell loathe
        despise horrific funeral
    """,
}
_EMOJI: Final[dict[float, str]] = {
    1.0: "❤ 😍 🥰 🎉 🥳 💖 💕 😻 🤩 💯 💗 💓 💘",
    0.7: "😀 😃 😄 😁 😆 😊 🙂 😎 🤗 👍 🙌 👏 😂 🤣 🔥 ✨ 🏆 🎊 💪 😇 😋 ☺ 🙏 🌟 😘 💙 💚 💛 💜 🎂 🎁",
    0.3: "😉 😅 🙃 👌 🤞 😌 ✅",
    -0.4: "😕 😐 🙄 😬 😓 😟 😒 🤔 😴 🥱",
    -0.7: "😢 😞 😔 😣 😖 😩 😫 😥 🙁 ☹ 👎 😰 😨 🤒 🤕 🤢 😿 ❌",
    -1.0: "😭 😡 😠 💔 😱 🤬 😤 🤮 ⚰",
}
EMOTICONS: Final[dict[str, float]] = {
    ":)": 0.5, ":-)": 0.5, ":d": 0.8, ":-d": 0.8, "<3": 0.9, ";)": 0.3, "xd": 0.6, ":p": 0.4, "^^": 0.5,
    ":(": -0.6, ":-(": -0.6, ":'(": -0.8, "</3": -0.9, ":/": -0.3, ":-/": -0.3, ">:(": -0.8, "d:": -0.6,
}  # fmt: skip
# Two terms that feel other than each of them: "passed away", "can't wait".
PAIRS: Final[dict[tuple[str, str], float]] = {
    ("pass", "away"): -1.0, ("not", "wait"): 0.8, ("look", "forward"): 0.6, ("broke", "up"): -0.7,
    ("break", "up"): -0.7, ("laid", "off"): -0.8, ("let", "down"): -0.6, ("give", "up"): -0.4, ("gave", "up"): -0.5,
    ("fell", "apart"): -0.7, ("burn", "out"): -0.6, ("server", "down"): -0.7, ("site", "down"): -0.7,
    ("well", "done"): 0.7, ("good", "luck"): 0.4, ("no", "problem"): 0.2, ("no", "worri"): 0.2, ("no", "fun"): -0.5,
    ("work", "out"): 0.3, ("fed", "up"): -0.6, ("stand", "up"): 0.0, ("hard", "work"): 0.3, ("freak", "out"): -0.6,
}  # fmt: skip
PAIR_STARTS: Final = frozenset(first for first, _ in PAIRS)
INTENSIFIERS: Final[dict[str, float]] = {
    "veri": 1.3, "realli": 1.25, "so": 1.2, "extrem": 1.5, "incred": 1.5, "absolut": 1.4, "total": 1.3,
    "complet": 1.3, "super": 1.3, "too": 1.15, "truli": 1.25, "deepli": 1.4, "insan": 1.5, "especi": 1.2,
    "such": 1.15, "most": 1.2, "utter": 1.5, "damn": 1.4, "pretti": 1.05, "quit": 1.05, "beyond": 1.4,
    "slight": 0.5, "somewhat": 0.6, "bit": 0.6, "kinda": 0.7, "fair": 0.85, "littl": 0.7, "bare": 0.5,
    "almost": 0.7, "sort": 0.7, "mild": 0.5,
}  # fmt: skip
NEGATIONS: Final = _PAGE.words("negations")
# Right before a word it negates it; further off it is an answer: "no, that is wrong".
NEAR_NEGATION: Final = "no"
URGENCY: Final = _PAGE.words("urgency")
CORRECTION: Final = _PAGE.words("correction")


@cache
def valences() -> dict[str, float]:
    """Term to valence; computed once, because stems need the stemmer."""
    from mnemon.text.words.tokens import terms

    found: dict[str, float] = {}
    for valence, listing in _BY_VALENCE.items():
        for word in listing.split():
            for term in terms(word)[:1]:
                found.setdefault(term, valence)
    for valence, listing in _EMOJI.items():
        for sign in listing.split():
            found.setdefault(sign.rstrip("\ufe0f"), valence)
    found.pop(NEAR_NEGATION, None)
    return found
