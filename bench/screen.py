"""The screen at text level: secrets, personal data and injection, on labelled sentences and ordinary talk.

    python -m bench.screen --data ../shared/data [--json]

pii_noren       Every annotation `sec_*` and `credit_card` is a secret; `email` is personal data. A secret is found
                when a finding overlaps its span; `removed` also asks that its longest run of letters and digits is gone
                after `redact`. A finding is right when it overlaps an annotation. The labels are the output of a
                detector and leave out credentials it does not know, so precision is given twice: `as_labelled`, and
                `adjudicated`, where a finding in a sample of UNLABELLED_CREDENTIALS counts as right. That list was
                judged by reading every unlabelled sample, with the findings already known: its own words announce a
                credential and the value is whole.
                The same twice for whole texts: `unlabelled_texts_refused` is the share of texts without any label of a
                secret in which something was found. Every class on the list is one that must never be stored (keys,
                tokens, session ids, webhook and signed addresses that let in whoever has them); none is a user name,
                an order number or a one-time code, so nothing there can be let through to please the labels.
                Samples read as incomplete (api-003, cookie-009, jwt-013, url-010, url-011, url-013) are not on it; a
                finding there, as everywhere else outside the labels, counts against precision. Whoever does not
                share the judgement reads `as_labelled`.
pii_presidio    CREDIT_CARD, IBAN_CODE and US_SSN are secrets. EMAIL_ADDRESS, PHONE_NUMBER, IP_ADDRESS,
                US_DRIVER_LICENSE, STREET_ADDRESS and ZIP_CODE are personal data, matched by overlap and class;
                addresses also by text, since one address is labelled in up to four pieces and the tier is a property
                of the text. A birth date is right on a DATE_TIME. Out of scope: PERSON, ORGANIZATION, GPE, TITLE, NRP,
                AGE, DOMAIN_NAME and other dates, which set no tier; medical findings, which the data does not label.
locomo, beam    Ordinary turns (BEAM: the user's). Refused: a secret, a medical statement, or an injection score at
                REFUSE_AT. Flagged: an injection score at FLAG_AT. Every one is counted as false. The same for turns of
                AutoMemoryBench, DevMemBench and HaluMem, of users and assistants alike.
injections      Attacks of our own (injection_texts.py), by family, and harmless texts that come close to them.

Intervals are 95% Wilson. Times are processor microseconds per LoCoMo turn, for comparison on one machine only.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.common import show
from bench.injection_texts import DEVELOPMENT, HARMLESS, HELD_OUT
from palazzo.text.safety.injection import FLAG_AT, REFUSE_AT, score_injection
from palazzo.text.safety.personal import find_medical, find_personal
from palazzo.text.safety.secrets import find_secrets, redact

NOREN = Path("pii_noren/packages/noren-devtools/datasets/ground-truth")

SECRET_CLASSES = {"CREDIT_CARD": "card_number", "IBAN_CODE": "bank_account", "US_SSN": "national_id"}
PERSONAL_CLASSES = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "IP_ADDRESS": "ip_address",
    "US_DRIVER_LICENSE": "driver_licence",
    "STREET_ADDRESS": "address",
    "ZIP_CODE": "address",
}

# Samples without a label for a credential that stands in them, and what it is.
UNLABELLED_CREDENTIALS = {
    "api-001": "GitHub token",
    "api-006": "Slack webhook address",
    "api-012": "Slack user token",
    "api-018": "GitHub token beside the labelled key",
    "api-020": "AWS secret key beside the labelled key id",
    "auth-005": "token header",
    "auth-007": "token header",
    "auth-011": "bearer header inside a shell command",
    "auth-014": "bearer token in a configuration",
    "auth-015": "token named in a log line",
    "cookie-013": "session id in JSON",
    "cookie-014": "session token in browser storage",
    "jwt-004": "complete JSON web token in a URL",
    "jwt-015": "complete JSON web token with a tail",
    "misc-003": "value called a token",
    "misc-006": "value called an access token",
    "misc-015": "encoded token of a secret store",
    "url-001": "token in a query string",
    "url-003": "Stripe live key in a query string",
    "url-007": "Slack webhook address",
    "url-008": "Discord webhook address",
    "url-012": "signature of a signed URL",
}


class Found(Protocol):
    """What the finders return."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Labelled:
    """One annotated span."""

    start: int
    end: int
    kind: str


def overlaps(found: Found | Labelled, label: Found | Labelled) -> bool:
    return found.start < label.end and label.start < found.end


def share(hits: int, total: int) -> dict[str, Any]:
    """A proportion with its counts and 95% Wilson interval."""
    if not total:
        return {"of": 0}
    rate, z = hits / total, 1.96
    centre = (rate + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return {
        "rate": round(rate, 4),
        "n": hits,
        "of": total,
        "low": round(centre - half, 4),
        "high": round(centre + half, 4),
    }


def longest_run(value: str) -> str:
    runs: list[str] = re.findall(r"[A-Za-z0-9]+", value)
    return max(runs, key=len)


def noren(folder: Path) -> dict[str, Any]:
    """Secrets and cards on pii_noren."""
    found_by_kind: Counter[str] = Counter()
    total_by_kind: Counter[str] = Counter()
    right = adjudicated = findings = removed = 0
    bare = refused = refused_adjudicated = 0
    disputed: list[str] = []
    for path in sorted((folder / NOREN).glob("*.json")):
        for sample in json.loads(path.read_text(encoding="utf-8")):
            text = sample["text"]
            labels = [Labelled(a["start"], a["end"], a["type"]) for a in sample["annotations"] if a["type"] != "email"]
            secrets = find_secrets(text)
            cleaned = redact(text, secrets)
            for label in labels:
                total_by_kind[label.kind] += 1
                found_by_kind[label.kind] += any(overlaps(secret, label) for secret in secrets)
                removed += longest_run(text[label.start : label.end]) not in cleaned
            findings += len(secrets)
            if not labels:
                bare += 1
                refused += bool(secrets)
                refused_adjudicated += bool(secrets) and sample["id"] not in UNLABELLED_CREDENTIALS
            for secret in secrets:
                labelled = any(overlaps(secret, label) for label in labels)
                right += labelled
                adjudicated += labelled or sample["id"] in UNLABELLED_CREDENTIALS
                if not labelled:
                    disputed.append(sample["id"])
    total = sum(total_by_kind.values())
    return {
        "recall": share(sum(found_by_kind.values()), total),
        "removed": share(removed, total),
        "precision_adjudicated": share(adjudicated, findings),
        "precision_as_labelled": share(right, findings),
        "unlabelled_texts_refused_adjudicated": share(refused_adjudicated, bare),
        "unlabelled_texts_refused_as_labelled": share(refused, bare),
        "recall_by_label": {kind: share(found_by_kind[kind], n) for kind, n in sorted(total_by_kind.items())},
        "found_outside_labels": sorted(set(disputed)),
        "not_adjudicated": sorted(set(disputed) - UNLABELLED_CREDENTIALS.keys()),
    }


def noren_mail(folder: Path) -> dict[str, Any]:
    """Mail addresses on pii_noren, counter-examples included."""
    hits = total = right = findings = 0
    for sample in json.loads((folder / NOREN / "core-email.json").read_text(encoding="utf-8")):
        labels = [Labelled(a["start"], a["end"], a["type"]) for a in sample["annotations"]]
        found = [item for item in find_personal(sample["text"]) if item.reason == "email"]
        total += len(labels)
        hits += sum(any(overlaps(item, label) for item in found) for label in labels)
        findings += len(found)
        right += sum(any(overlaps(item, label) for label in labels) for item in found)
    return {"recall": share(hits, total), "precision": share(right, findings)}


def presidio(
    samples: Sequence[dict[str, Any]], classes: dict[str, str], find: Callable[[str], Iterable[Found]]
) -> dict[str, Any]:
    """Recall by label and precision by class; a finding counts when its class is one of `classes` or birth_date."""
    hits: Counter[str] = Counter()
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    counted = {*classes.values(), "birth_date"}
    for sample in samples:
        spans = [Labelled(s["start_position"], s["end_position"], s["entity_type"]) for s in sample["spans"]]
        found = [item for item in find(sample["full_text"]) if item.reason in counted]
        for span in spans:
            if span.kind in classes:
                total[span.kind] += 1
                hits[span.kind] += any(overlaps(i, span) and i.reason == classes[span.kind] for i in found)
        for item in found:
            wanted = {kind for kind, reason in classes.items() if reason == item.reason} or {"DATE_TIME"}
            findings[item.reason] += 1
            right[item.reason] += any(overlaps(item, span) and span.kind in wanted for span in spans)
    return {
        "recall": {kind: share(hits[kind], total[kind]) for kind in classes},
        "precision": {reason: share(right[reason], findings[reason]) for reason in sorted(findings)},
    }


def presidio_address_texts(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Whether a text with a labelled address is known to hold one, and only such a text."""
    both = held = said = 0
    for sample in samples:
        holds = any(s["entity_type"] in ("STREET_ADDRESS", "ZIP_CODE") for s in sample["spans"])
        says = any(item.reason == "address" for item in find_personal(sample["full_text"]))
        held, said, both = held + holds, said + says, both + (holds and says)
    return {"recall": share(both, held), "precision": share(both, said)}


def refusals(texts: Sequence[str]) -> dict[str, Any]:
    """How many ordinary turns would be refused or flagged, and by which part of the screen."""
    secret = [bool(find_secrets(text)) for text in texts]
    medical = [any(find_medical(text.lower())) for text in texts]
    scores = [score_injection(text).score for text in texts]
    refused = sum(a or b or c >= REFUSE_AT for a, b, c in zip(secret, medical, scores, strict=True))
    return {
        "refused": share(refused, len(texts)),
        "by_secret": sum(secret),
        "by_medical": sum(medical),
        "by_injection": sum(score >= REFUSE_AT for score in scores),
        "injection_flagged": share(sum(score >= FLAG_AT for score in scores), len(texts)),
    }


def locomo_turns(folder: Path) -> list[str]:
    conversations = json.loads((folder / "locomo" / "locomo_dev.json").read_text(encoding="utf-8"))
    return [
        turn["text"]
        for conversation in conversations
        for name, turns in conversation["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
        for turn in turns
    ]


def beam_user_turns(folder: Path) -> list[str]:
    return [
        turn["content"]
        for path in sorted((folder / "beam_100k").glob("*/chat.json"))
        for batch in json.loads(path.read_text(encoding="utf-8"))
        for turns in batch["turns"]
        for turn in turns
        if turn["role"] == "user"
    ]


def said_in(value: Any) -> Iterator[str]:
    """Every text under `content`, `text` or `utterance`, however deep."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("content", "text", "utterance") and isinstance(inner, str):
                yield inner
            else:
                yield from said_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from said_in(inner)


def other_turns(folder: Path) -> dict[str, list[str]]:
    """Turns of the other data sets, user's and assistant's alike."""
    shards = sorted((folder / "automemorybench" / "data").rglob("shards/*.json"))
    sessions = folder / "devmembench" / "benchmark" / "src" / "dataset" / "sessions.json"
    lines = (folder / "halumem" / "pilot_slice_user0.jsonl").read_text(encoding="utf-8").splitlines()
    return {
        "automemorybench": [text for path in shards for text in said_in(json.loads(path.read_text(encoding="utf-8")))],
        "devmembench": list(said_in(json.loads(sessions.read_text(encoding="utf-8")))),
        "halumem": [text for line in lines for text in said_in(json.loads(line))],
    }


def injections() -> dict[str, Any]:
    """How many of our own attacks are flagged, by family, and how many of the harmless texts beside them."""
    told: dict[str, Any] = {}
    for name, texts in (("development", DEVELOPMENT), ("held_out", HELD_OUT)):
        flagged = [(family, score_injection(text).score >= FLAG_AT) for family, text in texts]
        families = {family: [hit for of, hit in flagged if of == family] for family, _ in flagged}
        told[name] = share(sum(hit for _, hit in flagged), len(flagged))
        told[f"{name}_by_family"] = {family: f"{sum(hits)}/{len(hits)}" for family, hits in families.items()}
    told["harmless_flagged"] = share(sum(score_injection(text).score >= FLAG_AT for text in HARMLESS), len(HARMLESS))
    return told


def microseconds(function: Callable[[str], object], texts: Sequence[str]) -> float:
    for text in texts[:200]:
        function(text)
    started = time.process_time()
    for text in texts:
        function(text)
    return round((time.process_time() - started) / len(texts) * 1e6, 1)


def measure(folder: Path) -> dict[str, Any]:
    samples = json.loads((folder / "pii_presidio" / "synth_dev.json").read_text(encoding="utf-8"))
    turns = locomo_turns(folder)
    return {
        "noren_secrets": noren(folder),
        "noren_mail": noren_mail(folder),
        "presidio_secrets": presidio(samples, SECRET_CLASSES, find_secrets),
        "presidio_personal": presidio(samples, PERSONAL_CLASSES, find_personal),
        "presidio_address_texts": presidio_address_texts(samples),
        "presidio_injection_flagged": refusals([sample["full_text"] for sample in samples])["injection_flagged"],
        "locomo": refusals(turns),
        "beam_user": refusals(beam_user_turns(folder)),
        **{name: refusals(texts) for name, texts in other_turns(folder).items()},
        "injections": injections(),
        "microseconds_a_turn": {
            "find_secrets": microseconds(find_secrets, turns),
            "find_personal": microseconds(find_personal, turns),
            "score_injection": microseconds(score_injection, turns),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    show(measure(options.data), options.json)


if __name__ == "__main__":
    main()
