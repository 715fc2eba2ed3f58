"""Grammar of times of day: "7:30 pm", "half past six", "noon", "in the evening", "from 2 to 4pm".

Owns hours, minutes and parts of the day. Knows nothing of dates. A bare number is an hour only where the
caller says so; hours without am or pm keep both readings, the waking one first.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from palazzo.text.dates.calendar import TimeOfDay
from palazzo.text.dates.lex import DateTokens, amount, cardinal
from palazzo.text.dates.words import DAY_PARTS, MEALS, SMALL, TENS, UNITS

_HALF = 43200
_DAY = 86400
_RANGE_WORDS = frozenset(["to", "-", "–", "—", "until", "till", "til", "through", "thru", "~"])
_APPROXIMATE = frozenset({"around", "about", "approximately", "roughly", "circa"})
_MINUTE_WORDS = frozenset({"past", "min", "mins", "minute", "minutes"})
_PHRASE_LEADS = frozenset({"at", "@", "by", *_APPROXIMATE})


class _Hour(msgspec.Struct, frozen=True, kw_only=True):
    """An hour as read: seconds of the twelve- or twenty-four-hour day, and what was said of its half."""

    stop: int
    seconds: int
    grain: int
    half: str = ""  # "am", "pm" or nothing said
    fixed: bool = False  # twenty-four-hour notation, noon, midnight
    strong: bool = True  # more than a bare number
    approximate: bool = False


def _meridian(t: DateTokens, i: int) -> tuple[str, int] | None:
    """am, p.m., "a m", or a glued a/p."""
    word = t.words[i]
    if word in ("am", "pm"):
        return word, i + 1
    if word in ("a", "p"):
        j = i + 1
        if t.words[j] == "." and t.words[j + 1] == "m":
            return word + "m", j + 3 if t.words[j + 2] == "." and t.glued(j + 2) else j + 2
        if t.words[j] == "m" and not t.glued(j):
            return word + "m", j + 1
        if t.glued(i) and len(t.words[i - 1]) <= 2 and t.words[i - 1].isdecimal():
            cue = t.words[i - 2] if i > 1 else ""  # "9:00a", "at 7p"; "2a" alone is no time
            return (word + "m", j) if cue in (":", "at", "by", "around", "until", "-", "to") else None
    return None


def _day_part_after(t: DateTokens, i: int) -> tuple[str, int] | None:
    """As in "in the evening", "at night", "early morning" after an hour."""
    j = i
    if t.words[j] in ("in", "at", "of", "on"):
        j += 1
        if t.words[j] == "the":
            j += 1
    if t.words[j] in ("early", "late"):
        j += 1
    part = t.words[j]
    if part in ("morning", "afternoon", "evening", "night") and (j > i):
        return part, j + 1
    return None


def _hour(t: DateTokens, i: int, *, bare: bool, base: bool = False) -> _Hour | None:
    """An hour at i; as the `base` of "half past" or "ten past" it is a figure and no such phrase itself."""
    word = t.words[i]
    if base and (t.words[i + 1] in _MINUTE_WORDS or word in ("half", "quarter", "a")):
        return None
    if word in ("noon", "midday", "midnight"):
        return _Hour(stop=i + 1, seconds=0 if word == "midnight" else _HALF, grain=60, fixed=True)
    if word == "mid" and t.words[i + 1] == "night":
        return _Hour(stop=i + 2, seconds=0, grain=60, fixed=True)
    if word.isdecimal():
        found = _digits(t, i, bare=bare, base=base)
    elif word in SMALL or word in TENS or word in ("half", "quarter", "a"):
        found = _spelled(t, i, bare=bare, base=base)
    else:
        return None
    if found is None:
        return None
    if not found.half and not found.fixed and (part := _day_part_after(t, found.stop)):
        half = "am" if part[0] == "morning" or (part[0] == "night" and found.seconds % _HALF < 5 * 3600) else "pm"
        return replace(found, half=half, stop=part[1], strong=True)
    return found


def _digits(t: DateTokens, i: int, *, bare: bool, base: bool) -> _Hour | None:
    word = t.words[i]
    if len(word) > 4 or (i and t.glued(i) and t.words[i - 1] in ("$", "£", "€", "#", ".", ":", "_", "/")):
        return None
    j = i + 1
    minutes, seconds, grain, strong = 0, 0, 3600, False
    hour = int(word)
    if len(word) > 2:
        hour, minutes, grain = hour // 100, hour % 100, 60
    elif t.words[j] == ":" and t.glued(j) and _two_digits(t, j + 1):
        minutes, j, grain, strong = int(t.words[j + 1]), j + 2, 60, True
        if t.words[j] == ":" and t.glued(j) and _two_digits(t, j + 1):
            seconds, j, grain = int(t.words[j + 1]), j + 2, 1
            if t.words[j] in (".", ",") and t.glued(j) and t.words[j + 1].isdecimal() and t.glued(j + 1):
                j += 2
    elif t.words[j] == "." and t.glued(j) and _two_digits(t, j + 1):
        if not bare and _meridian(t, j + 2) is None:
            return None
        if t.words[j + 2] in ("%", "percent", "million", "billion"):
            return None
        minutes, j, grain = int(t.words[j + 1]), j + 2, 60
    elif t.words[j] in _MINUTE_WORDS:
        return _past(t, hour, j) if hour < 60 and not base else None
    if hour > 24 or minutes > 59 or seconds > 59 or (hour == 24 and minutes + seconds):
        return None
    total = hour % 24 * 3600 + minutes * 60 + seconds
    figures_of_a_day = hour > 12 or hour == 0 or grain == 1 or (strong and word[0] == "0")
    return _finish_hour(
        t,
        _Hour(stop=j, seconds=total, grain=grain, fixed=figures_of_a_day, strong=strong),
        bare=bare,
        word=word,
    )


def _two_digits(t: DateTokens, i: int) -> bool:
    return len(t.words[i]) == 2 and t.words[i].isdecimal() and t.glued(i)


def _finish_hour(t: DateTokens, hour: _Hour, *, bare: bool, word: str) -> _Hour | None:
    """What may follow the figures: am, pm, o'clock, "ish", "noon"."""
    j = hour.stop
    half = _meridian(t, j)
    if half:
        if hour.fixed and hour.seconds >= 13 * 3600:
            return replace(hour, stop=half[1], strong=True)
        return replace(hour, stop=half[1], half=half[0], fixed=False, strong=True)
    after = t.words[j]
    if after in ("o'clock", "oclock"):
        return replace(hour, stop=j + 1, strong=True)
    if after == "ish" and (t.glued(j) or t.words[j - 1] == "-"):
        return replace(hour, stop=j + 1, strong=True, approximate=True)
    if after in ("noon", "midnight") and hour.seconds % _HALF == 0:
        return replace(hour, stop=j + 1, seconds=_HALF if after == "noon" else 0, fixed=True, strong=True)
    if hour.strong or _day_part_after(t, j):
        return hour
    if not bare or (len(word) > 2 and word.isdecimal() and word[0] != "0"):
        return None
    return hour


def _past(t: DateTokens, minutes: int, i: int) -> _Hour | None:
    """As in "20 min past eight", "15 past seven", "10 minutes to six"."""
    spelled_unit = t.words[i] in ("min", "mins", "minutes", "minute")
    j = i + 1 if spelled_unit else i
    if t.words[j] != "past" and not (t.words[j] == "to" and spelled_unit):
        return None
    base = _hour(t, j + 1, bare=True, base=True)
    if base is None or base.grain != 3600:
        return None
    shift = minutes * 60 if t.words[j] == "past" else -minutes * 60
    return replace(base, seconds=(base.seconds + shift) % _DAY, grain=60, strong=True)


def _spelled(t: DateTokens, i: int, *, bare: bool, base: bool) -> _Hour | None:
    j = i + 1 if t.words[i] == "a" else i
    word = t.words[j]
    if word in ("half", "quarter"):
        if t.words[j + 1] not in ("past", "to", "after") or (word == "half" and t.words[j + 1] != "past"):
            return None
        hour = _hour(t, j + 2, bare=True, base=True)
        if hour is None or hour.grain != 3600:
            return None
        shift = {"half": 1800, "quarter": 900}[word] * (-1 if t.words[j + 1] == "to" else 1)
        return replace(hour, seconds=(hour.seconds + shift) % _DAY, grain=60, strong=True)
    number = cardinal(t, j)
    if number is None or j > i:
        return None
    value, j = number
    if t.words[j] in _MINUTE_WORDS:
        return _past(t, value, j) if value < 60 and not base else None
    if not 1 <= value <= 12:
        return None
    total, grain = value * 3600, 3600
    k = j + 1 if t.words[j] == "-" else j
    minutes = cardinal(t, k) if t.words[k] in TENS or t.words[k] in ("ten", "fifteen") else None
    if minutes and 10 <= minutes[0] <= 59:
        total, grain, j = total + minutes[0] * 60, 60, minutes[1]
    return _finish_hour(t, _Hour(stop=j, seconds=total, grain=grain, strong=False), bare=bare, word=t.words[i])


def _settle(hour: _Hour) -> tuple[int, bool]:
    """Seconds from midnight, and whether the other half of the day is as likely."""
    if hour.half:
        return hour.seconds % _HALF + (_HALF if hour.half == "pm" else 0), False
    if hour.fixed:
        return hour.seconds, False
    seconds = hour.seconds % _HALF
    return (seconds + _HALF if seconds < 7 * 3600 else seconds), True


def clock(t: DateTokens, i: int, *, bare: bool = False) -> TimeOfDay | None:
    """A single time at i, after an optional "at" or "around"; `bare` also takes a naked number."""
    j, approximate = i, False
    while t.words[j] in _PHRASE_LEADS and j < i + 2:
        approximate = approximate or t.words[j] in _APPROXIMATE
        j += 1
    if t.words[j] in ("noon", "midday", "midnight") and j > i:
        bare = True
    hour = _hour(t, j, bare=bare)
    if hour is None:
        return None
    seconds, twelve = _settle(hour)
    return TimeOfDay(
        stop=hour.stop,
        begin=seconds,
        finish=seconds + hour.grain,
        twelve=twelve,
        approximate=approximate or hour.approximate,
        weak=not hour.strong,
    )


def clock_range(t: DateTokens, i: int) -> TimeOfDay | None:
    """From one time to another: "from 2 to 4pm", "between 9:30 and 11", "1-3 pm", "10am for 2 hours"."""
    lead = t.words[i]
    j = i + 1 if lead in ("from", "between", "at", "@") else i
    first = _hour(t, j, bare=True)
    if first is None or t.words[first.stop] in UNITS:
        return _length_from(t, i)
    separator = t.words[first.stop]
    if separator == "for" and first.strong and lead == "from":
        long = amount(t, first.stop + 1)
        if long and long.unit in ("hour", "minute", "second"):
            begin, twelve = _settle(first)
            return TimeOfDay(stop=long.stop, begin=begin, finish=begin + long.duration_s, twelve=twelve, stretch=True)
        return None
    if separator not in _RANGE_WORDS and not (separator == "and" and lead == "between"):
        return None
    last = _hour(t, first.stop + 1, bare=True)
    if last is None:
        return None
    if not first.strong and not last.strong and separator in ("-", "–", "—") and not t.glued(first.stop):
        return None
    minutes_said = first.grain == last.grain == 60
    return _ordered(first, last, weak=not (first.strong or last.strong or minutes_said))


def _length_from(t: DateTokens, i: int) -> TimeOfDay | None:
    """As in "2 hours from 2pm", "for 90 minutes starting at 9:30"."""
    long = amount(t, i + 1 if t.words[i] == "for" else i)
    if long is None or long.unit not in ("hour", "minute", "second"):
        return None
    hour = clock(t, long.stop + 1) if t.words[long.stop] in ("from", "starting") else None
    return replace(hour, finish=hour.begin + long.duration_s, stretch=True) if hour else None


def _ordered(first: _Hour, last: _Hour, *, weak: bool) -> TimeOfDay:
    """The stretch between two hours: what is said of one half of the day settles the other."""
    begin, free_begin = _settle(first)
    finish, free_finish = _settle(last)
    if free_begin and free_finish:
        begin = begin if first.seconds % _HALF >= 7 * 3600 or begin < 19 * 3600 else begin - _HALF
        finish = begin + (finish - begin) % _HALF
    elif free_begin:
        begin = max((b for b in (begin % _HALF, begin % _HALF + _HALF) if b < finish), default=begin % _HALF)
    elif free_finish:
        finish = begin + (finish - begin) % _HALF
    if finish <= begin:
        finish += _DAY if not (free_begin and free_finish) else _HALF
    return TimeOfDay(
        stop=last.stop,
        begin=begin,
        finish=finish,
        twelve=free_begin and free_finish,
        stretch=True,
        approximate=first.approximate or last.approximate,
        weak=weak,
    )


def day_part(t: DateTokens, i: int) -> TimeOfDay | None:
    """A named part of the day: "in the morning", "late afternoon", "at night"; without "in" it is weak."""
    j = i
    led = t.words[j] in ("in", "at", "during", "around")
    if led:
        j += 1
    if t.words[j] in ("the", "that"):
        j += 1
    part = ""
    if t.words[j] in ("early", "late", "earlier", "later", "mid"):
        part, j = t.words[j], j + 1
        if t.words[j] in ("in", "-"):
            j += 1
        if t.words[j] in ("the", "this"):
            j += 1
    word = t.words[j]
    if word == "night" and t.words[j + 1 : j + 3] == ["-", "time"]:
        word, j = "nighttime", j + 2
    hours = DAY_PARTS.get(word)
    if hours is None or (word in MEALS and not led) or (part and word.endswith("s")):
        return None
    begin, finish = hours[0] * 3600, hours[1] * 3600
    if part.startswith("early") or part == "earlier":
        finish = begin + min(7200, (finish - begin) // 2)
    elif part.startswith("late"):
        begin = finish - min(7200, (finish - begin) // 2)
    return TimeOfDay(stop=j + 1, begin=begin, finish=finish, stretch=True, approximate=True, weak=not (led or part))


def narrowed(part: TimeOfDay, hour: TimeOfDay) -> TimeOfDay:
    """An hour said with a part of the day: the part settles which half is meant."""
    if not hour.twelve:
        return hour
    morning = part.finish <= _HALF
    begin = hour.begin % _HALF if morning else hour.begin % _HALF + _HALF
    if not morning and part.begin >= 20 * 3600 and hour.begin % _HALF < 4 * 3600:
        begin = hour.begin % _HALF  # "tonight at 1" is after midnight
    return replace(hour, begin=begin, finish=begin + hour.finish - hour.begin, twelve=False)
