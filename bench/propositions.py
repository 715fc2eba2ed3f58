"""What the proposition splitter keeps of a conversation: how much filler, and how many gold evidence turns survive.

    python bench/propositions.py --data ../shared/data [--json] [--show N]

Filler is judged by a check of its own that shares no word list with the splitter. A kept proposition is filler when
one of these holds:

  empty    nothing is left of it without the two speakers' names, function words and words that stand in 1% or more of
           all turns of the corpus, and it holds no figure, no calendar word and no other name;
  aimed    it speaks of the listener only (their name opens it, or a bare verb or "let's" does) and has no figure,
           calendar word or other name: praise, cheering on, good wishes;
  maxim    it speaks of nobody and nothing in particular: no speaker, no other name, no he/she/they, no figure or
           calendar word, and no definite noun phrase (the, this, that, these, those, a possessive);
  stub     it has fewer than three words.

Dropped stretches are put to the same check, to show that it tells the two apart. Evidence turns are those cited by
LoCoMo's questions after its audited label faults are applied; a turn is kept when at least one proposition comes from
it. Verbatim, every turn stays reachable, since exchanges are stored as they were said. Times are CPU times of one core.
Intervals are 95% Wilson.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from palazzo.text.facts.slots.find import find_slots
from palazzo.text.statements.propositions import split_propositions

COMMON = 0.01
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_FIGURE = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january"
    r"|february|march|april|june|july|august|september|october|november|december|yesterday|tomorrow|tonight|today"
    r"|weeks?|weekends?|months?|years?|ago|summer|winter|spring|birthday)\b",
    re.IGNORECASE,
)
_FUNCTION = frozenset(
    re.findall(
        r"\S+",
        "the a an and or but so if of to in on at for with from by as is are was were be been being am it its "
        "this that these those there here not no do does did done have has had having will would can could "
        "should may might must just really very too also then than when what who how why where which some any "
        "all more most much many one he she they him her them his their we us our you your i me my others ",
    )
)
_CHEERS = frozenset(
    {"keep", "go", "don't", "let's", "let", "believe", "stay", "take", "hang", "chase", "enjoy", "check", "never"}
)
_PARTICULAR = frozenset(
    {"the", "this", "that", "these", "those", "he", "she", "they", "his", "her", "their", "him", "them", "it"}
)


@dataclass(frozen=True, slots=True)
class Turn:
    place: str
    speaker: str
    listener: str
    text: str
    evidence: bool


def interval(hits: int, total: int) -> tuple[float, float]:
    """95% Wilson interval of a share."""
    if not total:
        return 0.0, 1.0
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(hits: int, total: int) -> dict[str, Any]:
    low, high = interval(hits, total)
    return {"hits": hits, "of": total, "share": round(hits / total, 4), "interval": [round(low, 4), round(high, 4)]}


def load(data: Path) -> list[Turn]:
    turns: list[Turn] = []
    for number, sample in enumerate(json.loads((data / "locomo/locomo_dev.json").read_text())):
        faults_path = data / f"locomo/errors_conv_{number}.json"
        faults = {f["question_id"]: f for f in json.loads(faults_path.read_text())} if faults_path.exists() else {}
        cited: set[str] = set()
        for at, question in enumerate(sample["qa"]):
            fault = faults.get(f"locomo_{number}_qa{at}", {})
            for evidence in fault.get("correct_evidence") or question.get("evidence", []):
                cited.update(re.findall(r"D\d+:\d+", evidence))
        talk = sample["conversation"]
        names = (talk["speaker_a"], talk["speaker_b"])
        for key in sorted(k for k in talk if re.fullmatch(r"session_\d+", k)):
            for turn in talk[key]:
                listener = names[1] if turn["speaker"] == names[0] else names[0]
                place = f"{sample['sample_id']} {turn['dia_id']}"
                turns.append(Turn(place, turn["speaker"], listener, turn["text"], turn["dia_id"] in cited))
    return turns


def check(text: str, turn: Turn, common: frozenset[str]) -> str:
    """Which rule calls the text filler, or nothing."""
    low = text.lower()
    said = _WORD.findall(low)
    names = {turn.speaker.lower(), turn.listener.lower()}
    bare = [word.removesuffix("'s") for word in said]
    if len(said) < 3:
        return "stub"
    others = re.findall(r"(?<=[a-z,;\"'] )[\"']?[A-Z]\w+", text)
    named = any(word.strip("\"'").lower() not in {*names, "i"} for word in others)
    if named or _FIGURE.search(text):
        return ""
    if not [word for word in bare if word not in names and word not in _FUNCTION and word not in common]:
        return "empty"
    about_speaker = turn.speaker.lower() in bare or "i" in said or "my" in said or "we" in said
    if not about_speaker and (bare[0] == turn.listener.lower() or said[0] in _CHEERS):
        return "aimed"
    particular = any(word in _PARTICULAR for word in said) or any(word.endswith("'s") for word in said)
    if not about_speaker and not particular and turn.listener.lower() not in bare:
        return "maxim"
    return ""


def measure(turns: list[Turn], show: int) -> dict[str, Any]:
    spread = Counter(word for turn in turns for word in set(_WORD.findall(turn.text.lower())))
    common = frozenset(word for word, count in spread.items() if count >= COMMON * len(turns))
    rules: Counter[str] = Counter()
    kept = junk = gone = gone_junk = evidence = evidence_kept = 0
    flagged: list[str] = []
    reasons: Counter[str] = Counter()
    sampled: list[str] = []
    for turn in turns:
        found, dropped = split_propositions(turn.text, speaker=turn.speaker, addressee=turn.listener)
        for proposition in found:
            kept += 1
            sampled.append(proposition.text)
            rule = check(proposition.text, turn, common)
            if rule:
                junk += 1
                rules[rule] += 1
                flagged.append(f"{rule}: {proposition.text}")
        for one in dropped:
            reasons[one.reason] += 1
            if one.reason not in ("question", "code", "markup"):
                gone += 1
                gone_junk += bool(check(one.text, turn, common))
        evidence += turn.evidence
        evidence_kept += turn.evidence and bool(found)
    chooser = random.Random(3)
    for line in chooser.sample(flagged, min(show, len(flagged))):
        print("FLAGGED", line, file=sys.stderr)
    for line in chooser.sample(sampled, min(show, len(sampled))):
        print("KEPT", line, file=sys.stderr)
    return {
        "turns": len(turns),
        "filler_among_kept": share(junk, kept),
        "filler_by_rule": dict(rules),
        "same_check_on_dropped": share(gone_junk, gone),
        "dropped_by_reason": dict(reasons),
        "evidence_with_proposition": share(evidence_kept, evidence),
        "evidence_verbatim": share(evidence, evidence),
        "cpu_us_per_turn": speed(turns),
    }


def speed(turns: list[Turn]) -> dict[str, float]:
    """CPU microseconds a turn for splitting, and for splitting and slots together."""
    started = time.process_time()
    found = [split_propositions(t.text, speaker=t.speaker, addressee=t.listener)[0] for t in turns]
    between = time.process_time()
    for propositions in found:
        for proposition in propositions:
            find_slots(proposition.text)
    ended = time.process_time()
    words = sum(len(turn.text.split()) for turn in turns) / len(turns)
    return {
        "propositions": round((between - started) / len(turns) * 1e6, 1),
        "with_slots": round((ended - started) / len(turns) * 1e6, 1),
        "words_per_turn": round(words, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="print this many flagged and this many kept propositions")
    arguments = parser.parse_args()
    report = measure(load(arguments.data), arguments.show)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        if isinstance(value, dict) and "interval" in value:
            low, high = value["interval"]
            shown = f"{value['hits']} of {value['of']}  {value['share']:.2%} [{low:.2%}, {high:.2%}]"
        else:
            shown = str(value)
        print(f"{name:28} {shown}")


if __name__ == "__main__":
    main()
