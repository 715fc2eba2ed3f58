"""Measure `palazzo.text.dates.find` on the Recognizers-Text English specifications.

What counts: every labelled expression that carries a resolution. Labels without one ("not resolved",
seasons, the placeholder 0001-01-01) are left out and counted apart; expressions found in sentences labelled
empty are counted as spurious, not as wrong. An expression is right when a span of ours overlaps the label's
span and one of our readings (the preferred one or `other`) equals one of the labelled past or future
values:

- date: the same whole day; datetime: the same second; time: the same time of day; duration: the same
  seconds; set: found as recurring (the labels resolve nothing);
- ranges: the labelled sides are equal. Three differences of convention are allowed and counted in
  `by_convention`: the labels end "from A to B" and "until B" at the beginning of B, ours after B, so our end may
  be one day, week, month, quarter or year later; "after day B" begins at B in the labels, after B here; and a
  side that is the present ("the last 3 months", "between March and now") carries the reference's time of day
  here and only its date in the labels. 23:59:59 is midnight.

`as_labelled` is the count without these allowances. `first_reading` counts the preferred reading only, under
either preference; `default_reading` the preferred reading under the default preference alone. Intervals: 2,000
bootstrap resamples of the expressions, seed 7. Parts of the day, seasons apart, and the bounds of "early", "mid"
and "late" follow this set's own definitions, so figures on them say nothing about other conventions.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.common import show
from palazzo.text.dates.find import TimeSpan, find_dates

FILES = ("DateParser", "DatePeriodParser", "DateTimeModel", "DurationParser")
RANGES = ("daterange", "datetimerange", "timerange")
Reading = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One labelled expression: where it is and what it may resolve to."""

    file: str
    sentence: str
    reference: datetime
    start: int
    end: int
    text: str
    kind: str
    values: tuple[tuple[str | None, str | None], ...]
    two_ended: bool
    after: bool
    supported: bool


Row = tuple[Label, str, bool, bool]


def _label(file: str, entry: dict[str, Any], result: dict[str, Any], reference: datetime) -> Label:
    kind = (result.get("TypeName") or result.get("Type") or "").replace("datetimeV2.", "")
    start = int(result.get("Start", max(entry["Input"].lower().find(result["Text"].lower()), 0)))
    end = start + int(result["Length"]) if "Length" in result else int(result.get("End", start)) + 1
    values: list[tuple[str | None, str | None]] = []
    timex, mod = "", ""
    if "Value" in result:
        value = result["Value"] or {}
        timex = value.get("Timex", "")
        for key in ("FutureResolution", "PastResolution"):
            found = value.get(key) or {}
            plain = next((v for k, v in found.items() if not k.startswith(("start", "end"))), None)
            if plain is not None:
                values.append((plain, None))
            elif found:
                starts = next((v for k, v in found.items() if k.startswith("start")), None)
                values.append((starts, next((v for k, v in found.items() if k.startswith("end")), None)))
    else:
        for value in (result.get("Resolution") or {}).get("values") or []:
            timex, mod = value.get("timex", ""), value.get("Mod", "") or ""
            kind = kind or value.get("type", "")
            if "value" in value:
                values.append((value["value"], None))
            else:
                values.append((value.get("start"), value.get("end")))
    kept = [v for v in dict.fromkeys(values) if v != (None, None) and v[0] not in ("not resolved", "0001-01-01")]
    return Label(
        file=file,
        sentence=entry["Input"],
        reference=reference,
        start=start,
        end=end,
        text=result["Text"],
        kind=kind,
        values=tuple(kept),
        two_ended=timex.startswith("(") or mod.startswith(("before", "until")),
        after=mod.startswith("after"),
        supported="python" not in (entry.get("NotSupported") or ""),
    )


def read_labels(folder: Path) -> tuple[list[Label], list[tuple[str, datetime]]]:
    """The labelled expressions, and the sentences labelled as holding none."""
    labels: list[Label] = []
    empty: list[tuple[str, datetime]] = []
    for file in FILES:
        for entry in json.loads((folder / f"{file}.json").read_text(encoding="utf-8-sig")):
            stamp = (entry.get("Context") or {}).get("ReferenceDateTime", "2016-11-07T00:00:00")
            reference = datetime.fromisoformat(stamp)
            labels += [_label(file, entry, result, reference) for result in entry["Results"]]
            if not entry["Results"]:
                empty.append((entry["Input"], reference))
    return labels, empty


def _moment(value: str, reference: datetime) -> datetime:
    if ":" in value and "-" not in value:
        hour, minute, second = (int(part) for part in value.split(":"))
        day = reference.replace(hour=0, minute=0, second=0, microsecond=0)
        return day + timedelta(hours=hour, minutes=minute, seconds=second)
    moment = datetime.fromisoformat(value)
    return moment + timedelta(seconds=1) if value.endswith("23:59:59") else moment


def _ends_after(finish: datetime, end: datetime) -> bool:
    """Whether `finish` is one calendar unit after `end`, where a unit may begin at `end`."""
    steps = [end + timedelta(days=1)]
    if end.weekday() == 0:
        steps.append(end + timedelta(days=7))
    if end.day == 1:
        index = end.year * 12 + end.month - 1
        sizes = (1, 3, 12) if end.month == 1 else (1, 3) if end.month % 3 == 1 else (1,)
        steps += [end.replace(year=(index + n) // 12, month=(index + n) % 12 + 1) for n in sizes]
    return finish in steps


def _range_right(label: Label, reading: Reading, value: tuple[str | None, str | None]) -> str:
    begin, finish = reading
    convention = False
    for side, ours, theirs in (("begin", begin, value[0]), ("finish", finish, value[1])):
        if theirs is None:
            continue
        if ours is None:
            return ""
        wanted = _moment(theirs, label.reference)
        same = ours.time() == wanted.time() if label.kind == "timerange" else ours == wanted
        if same:
            continue
        until_now = len(theirs) == 10 and ours.date() == wanted.date()
        if (
            until_now
            or (side == "finish" and label.two_ended and _ends_after(ours, wanted))
            or (side == "begin" and label.after and ours == wanted + timedelta(days=1))
        ):
            convention = True
        else:
            return ""
    return "convention" if convention else "as_labelled"


def _reading_right(label: Label, reading: Reading) -> str:
    """How a reading matches one of the labelled values: "", "convention" or "as_labelled"."""
    begin, finish = reading
    best = ""
    for value in label.values:
        if label.kind in RANGES:
            best = max(best, _range_right(label, reading, value), key=len)
        elif begin is not None and value[0]:
            wanted = _moment(value[0], label.reference)
            if value[0].endswith("23:59:59"):
                wanted -= timedelta(seconds=1)
            same = begin.time() == wanted.time() if label.kind == "time" else begin == wanted
            if label.kind == "date":
                same = same and finish == begin + timedelta(days=1)
            best = "as_labelled" if same else best
    return best


def judge(label: Label, spans: dict[str, tuple[TimeSpan, ...]]) -> tuple[str, bool]:
    """How the expression was matched by any reading, and whether by a preferred one."""
    how, first = "", False
    for found in spans.values():
        for span in found:
            if span.end <= label.start or span.start >= label.end:
                continue
            if label.kind == "set":
                match = "as_labelled" if span.kind == "recurring" else ""
                how, first = max(how, match, key=len), first or bool(match)
            elif label.kind == "duration":
                same = span.duration_s is not None and any(
                    int(float(v[0] or -1)) == span.duration_s for v in label.values
                )
                how, first = ("as_labelled" if same else how), first or same
            else:
                match = _reading_right(label, (span.begin, span.finish))
                how, first = max(how, match, key=len), first or bool(match)
                if span.other:
                    how = max(how, _reading_right(label, span.other), key=len)
    return how, first


def _interval(outcomes: list[bool]) -> tuple[float, float]:
    chance = random.Random(7)
    rates = sorted(sum(chance.choices(outcomes, k=len(outcomes))) / len(outcomes) for _ in range(2000))
    return round(rates[50], 4), round(rates[1949], 4)


def _summary(rows: list[Row]) -> dict[str, Any]:
    outcomes = [bool(how) for _, how, _, _ in rows]
    if not outcomes:
        return {"n": 0}
    return {
        "n": len(outcomes),
        "exact": sum(outcomes),
        "rate": round(sum(outcomes) / len(outcomes), 4),
        "interval95": _interval(outcomes),
        "as_labelled": sum(how == "as_labelled" for _, how, _, _ in rows),
        "by_convention": sum(how == "convention" for _, how, _, _ in rows),
        "first_reading": sum(first for _, _, first, _ in rows),
        "default_reading": sum(default for _, _, _, default in rows),
    }


def _microseconds(sentence: str) -> float:
    """CPU time of one call: wall time doubles whenever the machine is shared, CPU time does not."""
    reference = datetime(2023, 5, 8, 14, 30, tzinfo=UTC)
    best = 1e9
    for _ in range(5):
        begin = time.process_time()
        for _ in range(400):
            find_dates(sentence, reference)
        best = min(best, (time.process_time() - begin) / 400 * 1e6)
    return round(best, 1)


def measure(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """All figures, and every judged expression."""
    labels, empty = read_labels(folder)
    counted = [label for label in labels if label.values or label.kind == "set"]
    rows = []
    for label in counted:
        if label.kind == "timezone":
            continue
        spans = {mode: find_dates(label.sentence, label.reference, prefer=mode) for mode in ("past", "future")}
        default = judge(label, {"past": spans["past"]})[1]
        rows.append((label, *judge(label, spans), default))
    main = [row for row in rows if row[0].kind in ("date", "daterange")]
    plain = (
        "The kitchen smells lovely because she baked bread while the children were painting pictures of the old "
        "house near the river with their friends"
    )
    return {
        "all": _summary(rows),
        "date_and_period": _summary(main),
        "files": {file: _summary([row for row in rows if row[0].file == file]) for file in FILES},
        "files_date_and_period": {file: _summary([row for row in main if row[0].file == file]) for file in FILES[:3]},
        "kinds": {
            kind: _summary([row for row in rows if row[0].kind == kind])
            for kind in sorted({row[0].kind for row in rows})
        },
        "unresolved_labels": len(labels) - len(counted),
        "empty_sentences": len(empty),
        "spurious": sum(bool(find_dates(sentence, reference)) for sentence, reference in empty),
        "cpu_microseconds": {
            "25 words without a date": _microseconds(plain),
            "25 words with a date": _microseconds(plain.replace("while", "last Tuesday while")),
        },
    }, rows


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true", help="list the expressions that were not matched")
    options = parser.parse_args()
    figures, rows = measure(options.data / "temporal")
    if options.misses:
        for label, how, _, _ in rows:
            if not how:
                print(json.dumps([label.kind, label.text, label.sentence, str(label.reference), label.values]))
    if options.json:
        show(figures, as_json=True)
        return
    print(f"{'':28}{'n':>6}{'exact':>7}{'rate':>8}  95%")
    groups = [("all", figures["all"]), ("dates and periods", figures["date_and_period"])]
    for name, row in [*groups, *figures["files"].items(), *figures["kinds"].items()]:
        low, high = row["interval95"]
        print(f"{name:28}{row['n']:>6}{row['exact']:>7}{row['rate']:>8.3f}  {low:.3f}-{high:.3f}")


if __name__ == "__main__":
    main()
