"""The patterns by which named things are spotted: runs of capitals, links, addresses, paths, and names in CJK.

Owns the regular expressions only; what a match means is decided in entities. Compiled on first use, because
importing Mnemon must stay fast. Invariant: every pattern is linear in the length of the text (all repeats of
overlapping classes are bounded).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mnemon.text.words import scripts

_UPPER: Final = (
    "A-Z\u00c0-\u00d6\u00d8-\u00deĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽȘȚ"
    "\u0391-\u03ab\u0401\u0404-\u0407\u0410-\u042f"
)
_CAPITALISED: Final = rf"[{_UPPER}]\w*(?:[&'’-]\w+)*(?:\.(?:js|io|ai|com|net|org|app|dev)\b)?(?:\+\+|#)?"
_TOKEN: Final = rf"(?:(?:Mr|Mrs|Ms|Dr|Prof|St)\.|(?:[{_UPPER}]\.){{2,}}|{_CAPITALISED})"
_JOINER: Final = r"(?:(?:of(?: the)?|de(?: la)?|da|del|di|du|la|le|van(?: de[rn])?|von(?: der)?|bin|ibn|al|el) )?"


@cache
def run() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@#/.]){_TOKEN}(?: {_JOINER}{_TOKEN})*")


@cache
def special() -> dict[str, re.Pattern[str]]:
    """Patterns of what is written for machines; a colour (#fff) and a quoted selector ('#menu') are no tags."""
    return {
        "link": re.compile(r"(?:https?://|www\.)[^\s<>\"'`)\]}]{1,2000}"),
        "email": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
        "handle": re.compile(r"(?<![\w@.])@[A-Za-z_][\w-]{0,38}\w\b(?![.(]\w?)"),
        "tag": re.compile(r"(?<![\w&#/'\"(])#(?![0-9a-fA-F]{3,8}\b)[^\W\d_][\w-]{0,60}"),
        "path": re.compile(
            r"(?<![\w/\\:.])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]{1,100}){2,40}[/\\]?"
            r"|(?<![\w/\\:.])(?:~|\.{1,2})[/\\][\w.@+-]{1,100}"
            r"|(?<![\w/\\:.@])[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,40}/[\w@+-]{1,100}\.[A-Za-z]\w{0,9}\b"
        ),
        "file_name": re.compile(
            r"(?<![\w/\\@.-])[\w-]{1,100}(?:\.[\w-]{1,40}){0,3}\.(?:py|js|ts|tsx|jsx|rs|go|java|kt|rb|php|c|h|cpp|hpp|cs|"
            r"swift|sh|sql|html|css|scss|md|txt|json|ya?ml|toml|ini|cfg|conf|env|lock|csv|tsv|xlsx?|docx?|pptx?|pdf|png|"
            r"jpe?g|gif|svg|mp3|mp4|wav|zip|gz|tar|db|sqlite|log|ipynb|vue|svelte|xml|proto|gradle|tf)\b(?!\.\w|\()"
        ),
    }


@cache
def unspaced() -> tuple[tuple[re.Pattern[str], str], ...]:
    han = scripts.HAN
    surname = (
        "[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许傅沈曾彭吕苏"
        "卢蒋蔡贾丁魏薛叶余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱]"
    )
    return (
        (re.compile(f"([{han}]{{2,6}}?(?:公司|大学|银行|医院|学校|集团))"), "organization"),
        (re.compile(f"([{han}]{{2,4}}?(?:市|省|县|区|国))"), "location"),
        (
            re.compile(f"({surname}[{han}]{{1,2}}?)(?=先生|女士|小姐|老师|医生|说|是|在|和|住|喜欢|告诉)"),
            "person",
        ),
        (re.compile(f"([{han}{scripts.KANA}]{{1,6}}?)(?=さん|くん|ちゃん|様|先生)"), "person"),
        (re.compile("([가-힣]{2,4}?)(?=씨|님|선생)"), "person"),
    )
