"""Which language a text is in, by its script and its most frequent small words.

Owns the lists of function words and telling letters for about thirty languages. Knows nothing about translation.
A guess, not a verdict: "und" (undetermined) where nothing speaks for one language, as for numbers, code or names.
Invariant: any string gets a code of `LANGUAGES` or "und"; reading stops after a fixed length.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mnemon.text.words import scripts

UNDETERMINED: Final = "und"
_MAX_READ: Final = 2000
_FUNCTION_WORDS: Final[dict[str, str]] = {
    "en": """
        the and is are was were of to in for with that this it you i my we they he she have has had not do
        does don't i'm it's be been will would can could what when how from at but so your our their me on as
        about just there an or if because who which them his her
    """,
    "de": """
        der die das und ist ich nicht ein eine zu mit auf für von den dem es sie wir ihr auch sich im war hat
        haben bin mein meine dass wie aber oder wenn noch nur über sehr wird sind des einen einem einer am bei
        nach aus mir mich
    """,
    "fr": """
        le la les et est je ne pas un une des du de que qui dans pour sur avec il elle nous vous ce cette mon
        ma mes au aux plus mais ou où suis sont être avoir été très j'ai c'est d'un l'on n'est qu'il son ses
        leur y en se
    """,
    "es": """
        el la los las y es de que no un una en para con por mi me se lo su al del como más pero muy está estoy
        tengo yo nosotros ella él ha he son fue este esta también cuando porque hay nos tu te soy
    """,
    "it": """
        il lo la gli le e è di che non un una per con mi sono ho ha del della nel nella dei alla al come più
        ma molto anche questo questa io lui lei noi voi loro mio mia quando perché si ci da sul dove c'è
    """,
    "pt": """
        o a os as e é de que não um uma para com por em meu minha eu você ele ela nós no na do da dos das ao
        mais mas muito está estou tenho foi são como também quando porque isso se me seu sua
    """,
    "nl": """
        de het een en is ik niet van in op te dat voor met zijn maar ook aan er om bij naar mijn je we hij zij
        wij heb heeft ben was dit die als nog wel geen deze kan worden uit over
    """,
    "sv": "och att det är jag inte en ett på för med som har min mitt vi du han hon till av om men så från var den kan",
    "da": "og at det er jeg ikke en et på for med som har min mit vi du han hun til af om men så fra var den kan der",
    "no": "og at det er jeg ikke en et på for med som har min mitt vi du han hun til av om men så fra var den etter",
    "fi": "ja on ei se että minä olen hän mutta niin kun joka ovat oli myös tai jos kuin minun me te he sinä mikä",
    "pl": "i w na z do że nie jest się to jak ale po mam mój moja jestem dla są przez od czy tak już tylko ten ta być",
    "cs": "a v na je se že to s z do ale jsem není jako pro jsou můj moje má by tak už jen který která bylo být",
    "tr": "ve bir bu da de için ile ben çok var ne gibi ama daha olarak değil benim mi o sen biz şey kadar sonra",
    "ro": "și în de la cu pe că nu este un o sunt am mai din pentru ce se eu dar sau fi care mea meu noi foarte",
    "hu": "a az és hogy nem van egy is én meg ez de csak mert mint vagy már nagyon volt én vagyok ha ki be fel",
    "id": "yang dan di ke dari ini itu saya tidak dengan untuk ada pada adalah akan juga kami kita sudah bisa dia",
    "vi": "và là của tôi không có một những được cho trong với các người này đã để anh em khi rất như cũng",
    "ca": "el la els les i és de que no un una en per amb meu meva jo més però molt està aquest aquesta som hi ha",
    "ru": "и в не на я что с он как это по но она мы к у из за от так же для вы бы был все мой меня есть о ты да",
    "uk": "і в не на я що з він як це по але вона ми до у із за від так для ви був все мій мене є та ти але щоб",
    "bg": "и в не на аз че с той как това по но тя ние до у из за от така ли е се да съм са ще има моя ме към",
    "sr": "и у не на ја да је са он како ово по али она ми до из за од тако се сам су има мој ме ће што",
    "ar": "في من على إلى أن هذا هذه التي الذي مع عن لا ما كان هو هي أنا لم قد كل بعد بين أو ثم",
    "fa": "و در به از که این است را با برای من آن یک خود تا بر هم نیست می شود ما او شما اگر بود",
    "ur": "کے کی میں ہے اور سے کا کو پر نے یہ وہ ہیں نہیں بھی تھا ایک جو کہ میرا ہو کر تو",
    "hi": "है और के में की का को से पर यह मैं नहीं हूँ हैं ने एक भी मेरा मेरी था जो कि हम वह तो कर",
    "mr": "आहे आणि मी नाही हे या ते तो ती आहेत माझा माझी पण का की होते होता मला",
}
_LETTERS: Final[tuple[tuple[str, str], ...]] = (
    ("ko", "\uac00-\ud7a3\u1100-\u11ff"),
    ("th", "\u0e01-\u0e4e"),
    ("he", "\u05d0-\u05ea"),
    ("el", "\u0370-\u03ff\u1f00-\u1fff"),
    ("ka", "\u10a0-\u10ff"),
    ("hy", "\u0530-\u058f"),
    ("bn", "\u0980-\u09ff"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
)
# Letters that only one of the languages of a script uses.
_TELLING: Final[dict[str, str]] = {
    "ß": "de", "ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt", "œ": "fr", "ê": "fr", "ł": "pl", "ą": "pl",
    "ę": "pl", "ż": "pl", "ř": "cs", "ů": "cs", "ě": "cs", "ğ": "tr", "ı": "tr", "ş": "tr", "ț": "ro", "ș": "ro",
    "ă": "ro", "ő": "hu", "ű": "hu", "ø": "da", "ơ": "vi", "ư": "vi", "đ": "vi", "і": "uk", "ї": "uk", "є": "uk",
    "ґ": "uk", "ы": "ru", "э": "ru", "ё": "ru", "ђ": "sr", "ћ": "sr", "ј": "sr", "љ": "sr", "њ": "sr", "ъ": "bg",
    "پ": "fa", "ژ": "fa", "ٹ": "ur", "ڈ": "ur", "ڑ": "ur", "ے": "ur", "ہ": "ur", "ळ": "mr",
}  # fmt: skip
_ALPHABETS: Final[dict[str, frozenset[str]]] = {
    "cyrillic": frozenset({"ru", "uk", "bg", "sr"}),
    "arabic": frozenset({"ar", "fa", "ur"}),
    "devanagari": frozenset({"hi", "mr"}),
}
_USUAL: Final = {"cyrillic": "ru", "arabic": "ar", "devanagari": "hi"}
LANGUAGES: Final = frozenset({*_FUNCTION_WORDS, "zh", "ja", *(code for code, _ in _LETTERS)})
_VOWEL_SIGNS = re.compile("[\u0900-\u0dff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for code, listing in _FUNCTION_WORDS.items():
        for word in listing.split():
            if code not in found.setdefault(word, []):
                found[word].append(code)
    return {word: tuple(codes) for word, codes in found.items()}


@cache
def _script_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    listed = [
        ("kana", scripts.KANA),
        ("han", scripts.HAN),
        ("cyrillic", "\u0400-\u052f"),
        ("arabic", "\u0620-\u06ff"),
        ("devanagari", "\u0900-\u097f"),
        *_LETTERS,
    ]
    return tuple((name, re.compile(f"[{ranges}]")) for name, ranges in listed)


def guess_language(text: str) -> str:
    """The code of the language a text is most likely in, "und" where nothing tells."""
    text = text[:_MAX_READ].lower()
    if text.isascii():
        return _by_function_words(_WORD.findall(text), {}, LANGUAGES)
    counts = {name: len(pattern.findall(text)) for name, pattern in _script_patterns()}
    name = max(counts, key=lambda one: counts[one])
    letters = sum(map(str.isalpha, text))
    if counts["kana"] and counts["kana"] + counts["han"] >= max(counts.values()):
        return "ja"
    if counts[name] * 2 < letters or not counts[name]:
        return _by_function_words(_words(text), _telling(text), LANGUAGES)
    if name == "han":
        return "zh"
    if name in _ALPHABETS:
        guess = _by_function_words(_words(text), _telling(text), _ALPHABETS[name])
        return _USUAL[name] if guess == UNDETERMINED else guess
    return name


def _words(text: str) -> list[str]:
    plain = text.replace("’", "'")
    # Vowel signs are no letters to the pattern, so the words of Devanagari are cut at blanks.
    return plain.split() if _VOWEL_SIGNS.search(plain) else _WORD.findall(plain)


def _telling(text: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for letter, code in _TELLING.items():
        if letter in text:
            scores[code] = scores.get(code, 0.0) + 1.5
    return scores


def _by_function_words(found: list[str], scores: dict[str, float], allowed: frozenset[str]) -> str:
    by_word = _by_word()
    for word in found:
        if word in by_word:
            codes = by_word[word]
            for code in codes:
                if code in allowed:
                    scores[code] = scores.get(code, 0.0) + 1.0 / len(codes)
    if not scores:
        return UNDETERMINED
    code = max(scores, key=lambda one: (scores[one], one == "en"))
    # One short word among many others proves nothing.
    return code if code in allowed and scores[code] * 12 >= len(found) else UNDETERMINED
