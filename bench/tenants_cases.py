"""How every operation of the registry is asked for something that belongs to somebody else.

One entry per operation: the arguments with which somebody could reach for a memory, a claim, a product, a word, a place
or a person of another tenant. The same function makes the arguments for something that does not exist, so that the two
answers can be compared. Invariant, kept by a test: every operation of the registry has an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is reached for: somebody's memory and all that is known of it, or a likeness of one that does not exist."""

    id: str
    place: str
    name: str
    word: str
    claim: str
    user: str

    @property
    def address(self) -> str:
        return f"{self.place}/{self.name}.fact"

    @property
    def terms(self) -> tuple[str, ...]:
        """What may come back because it was asked with."""
        return (self.id, self.address, self.word, self.place, self.name, self.claim, self.user)


Arguments = list[dict[str, Any]]
Make = Callable[[Aim], Arguments]
PAST: Final = "2031-01-01T00:00:00Z"


def _named(**more: Any) -> Make:
    """By id and by address."""
    return lambda aim: [{"memory": aim.id, **more}, {"memory": aim.address, **more}]


def _linked(aim: Aim) -> Arguments:
    return [{"source": aim.id, "target": aim.address}, {"source": aim.address, "target": aim.id}]


def _always(**arguments: Any) -> Make:
    return lambda _aim: [arguments]


def _said(aim: Aim) -> str:
    return f"The lake of {aim.word} is deep."


def _of_thread(aim: Aim) -> Arguments:
    return [{"thread": aim.word}, {"thread": aim.user}]


def _snapshot(aim: Aim) -> Arguments:
    return [{"snapshot": aim.claim}, {"snapshot": aim.id}]


def _receipt(aim: Aim) -> Arguments:
    return [{"receipt": aim.id}, {"receipt": f"att_{aim.word}"}]


READS: Final[dict[str, Make]] = {
    "recall": lambda aim: [
        {"cue": aim.word}, {"cue": aim.address}, {"cue": f"why did {aim.word} go to the lake?", "preset": "deep"},
        {"cue": aim.word, "place": aim.place, "rerank": "mmr", "as_of": PAST},
        {"cue": "lake", "metadata": {"owner": aim.word}}, {"cue": "lake", "thread": aim.word, "speaker": aim.word},
        {"cue": "what happened on 3 March 2024?", "limit": 50},
    ],
    "context": lambda aim: [
        {"message": aim.word}, {"message": f"what of {aim.word}?", "as_of": PAST},
        {"message": "and now?", "thread": aim.word}, {"message": "and now?", "history": [aim.word]},
        {"message": aim.word, "purpose": "flow"}, {"message": aim.word, "purpose": "orchestrator"},
        {"message": aim.word, "purpose": "delegation", "delegate": aim.user},
    ],
    "reason": lambda aim: [{"question": f"what does {aim.word} have to do with the lake, and why?"}],
    "evolution": lambda aim: [{"topic": aim.word}],
    "get": lambda aim: [*_named()(aim), {"memory": aim.id, "as_of": PAST}],
    "list": lambda aim: [
        {"place": aim.place, "limit": 1000, "count": True}, {"limit": 200, "count": True, "state": "all"},
        {"metadata": {"owner": aim.word}, "count": True}, {"limit": 100, "as_of": PAST},
    ],
    "history": _named(), "why": _named(), "staleness": _named(), "impact": _named(depth=20),
    "walk": _named(depth=20, limit=1000), "explain": _named(),
    "places": lambda aim: [{}, {"place": aim.place}, {"place": aim.place.split(".")[0]}],
    "inbox": _always(), "review": _always(limit=100),
    "as_of": lambda aim: [{"about": aim.word}, {"limit": 5000}, {"at": PAST}],
    "path": _linked,
    "claims": lambda _aim: [{"limit": 200}, {"status": "verified", "limit": 200}],
    "preview": lambda aim: [{"claim": aim.claim}],
    "product": lambda aim: [{"name": aim.name, "place": aim.place, "tag": tag} for tag in ("current", aim.word)],
    "events": lambda _aim: [{"limit": 200}, {"after": "now", "limit": 50}],
    "status": _always(), "doctor": _always(), "verify": _always(),
    "tags": lambda aim: [{}, {"limit": 1000}, *_named()(aim)], "members": _named(),
    "overview": lambda aim: [{}, {"place": f"{aim.place}.**", "limit": 200}],
    "activity": lambda aim: [{"days": 366}, {"place": aim.place, "days": 366}],
    "facts": lambda aim: [{"limit": 5000}, {"about": aim.word}, {"place": aim.place}],
    "layout": lambda aim: [{}, {"place": f"{aim.place}.**", "limit": 100_000}],
    "trail": lambda aim: [{"hours": 2160}, {"subject": aim.user}, {"name": aim.word, "place": aim.place}],
    "entities": lambda aim: [{"limit": 1000}, {"words": aim.word}], "entity": lambda aim: [{"name": aim.word}],
    "holds": lambda aim: [{"text": _said(aim), "slot": "lake", "value": aim.word}], "claim_report": _always(),
    "leases": _always(), "outcomes": _always(), "maturations": _always(), "spaces": _always(),
    "govern": _always(action="external"),
    "kinds": _always(), "jobs": _always(), "models": _always(),
    "mind": _always(), "mind_hold": _named(), "mind_clear": _always(), "health": _always(),
    "anticipate": lambda aim: [{"message": f"what of {aim.word}?"}],
    "gaps": _always(limit=100, every=True), "knows": lambda aim: [{"cue": aim.word}, {"cue": _said(aim)}],
    "unfold": lambda aim: [{"node": aim.id}, {"node": aim.address}],
    "summaries": lambda aim: [{"limit": 100}, {"text": aim.word}, {"thread": aim.word}],
    "subscriptions": _always(), "thread_list": _always(limit=1000), "sessions": _of_thread, "warm_start": _of_thread,
    "bridge": _of_thread, "providers": _always(), "hook_report": _always(),
    "proof_check": lambda aim: [{"text": _said(aim)}], "identity_show": _always(), "identity_plans": _always(limit=100),
    "receipts": lambda aim: [{"limit": 100}, {"thread": aim.word}], "receipt_check": _receipt,
    "restart_state": lambda aim: [{"session": aim.word}], "metabolism": _of_thread, "inquiries": _always(limit=100),
    "standing": lambda aim: [{"person": aim.user}, {"person": aim.word}], "dynamics": _of_thread,
    "capture_status": _always(), "raw_events": lambda aim: [{"limit": 100}, {"source": aim.word}],
    "chat_get": lambda aim: [{"session": aim.word}], "snapshot_list": lambda aim: [{}, *_named()(aim)],
    "snapshot_show": _snapshot, "snapshot_share": _snapshot, "snapshot_diff": _snapshot,
}  # fmt: skip
"""What returns something to whoever may read."""

WRITES: Final[dict[str, Make]] = {
    "update": _named(text="It says something else now."), "forget": _named(), "restore": _named(),
    "move": lambda aim: [{"memory": aim.id, "place": "work.p1"}, {"memory": aim.address, "place": "work.p1"}],
    "tag": lambda aim: [{"memory": aim.id, "tag": "seen"}, {"memory": aim.address, "tag": "current", "revision": 1}],
    "origin_add": lambda aim: [
        {"of": aim.id, "kind": "tool", "label": "lookup"}, {"of": aim.address, "kind": "tool", "label": "lookup"},
    ],
    "origin_link": lambda aim: [{"source": aim.id, "target": aim.claim}, {"source": aim.address, "target": aim.id}],
    "lease_end": lambda aim: [{"lease": aim.claim}],
    "mature": lambda aim: [
        {"lane": "semantic", "what": "more", "evidence": [aim.id]},
        {"lane": "semantic", "what": "more", "evidence": [aim.address]},
    ],
    "untag": _named(tag="seen"), "deprecate": _named(), "undeprecate": _named(), "keep": _named(),
    "unrelate": _linked, "split_entity": lambda aim: [{"name": aim.word}],
    "merge_entities": lambda aim: [{"name": aim.word, "other": "lake"}, {"name": "lake", "other": aim.word}],
    "bundle": lambda aim: [
        {"name": "box", "place": "work.p1", "add": [aim.id]}, {"name": "box", "place": "work.p1", "add": [aim.address]},
    ],
    "relate": _linked, "revert": _named(revision=1), "outcome": _named(went="well"), "feedback": _named(cue="lake"),
    "burn": lambda aim: [
        {"memories": [aim.id], "yes": True}, {"memories": [aim.address], "yes": True},
        {"place": aim.place, "source": aim.word}, {"subject": aim.word, "yes": True},
    ],
    "register": lambda aim: [
        {"name": "report", "place": "work.p1", "text": "A report.", "made_from": [aim.id]},
        {"name": "report", "place": "work.p1", "text": "A report.", "made_from": [aim.address]},
    ],
    "publish": lambda aim: [{"memories": [aim.id]}, {"memories": [aim.address]}],
    "unsubscribe": lambda aim: [{"subscription": aim.claim}], "gap_ask": lambda aim: [{"gap": aim.claim}],
    "gap_mute": lambda aim: [{"gap": aim.claim}], "thread_close": _of_thread,
    "session_end": lambda aim: [{"session": aim.word}],
    "observe_attachment": lambda aim: [{"receipt": f"att_{aim.word}", "text": "It shows a lake."}],
    "contemplate": lambda aim: [{"inquiry": aim.claim}], "snapshot_restore": _snapshot, "snapshot_drop": _snapshot,
    "snapshot_save": _named(),
    "crystallise": lambda aim: [{"inquiry": aim.claim, "file": "SOUL.md", "text": "I look twice."}],
}  # fmt: skip
"""What changes something that is named: of somebody else's it must say what it says of nothing, and change nothing."""

TAKES: Final[dict[str, Make]] = {
    "remember": lambda aim: [
        {"text": _said(aim), "place": "work.p1"}, {"text": _said(aim), "place": aim.place, "name": aim.name},
    ],
    "remember_many": lambda aim: [{"notes": [_said(aim)]}],
    "observe": lambda aim: [{"turns": [_said(aim)], "thread": aim.word}],
    "revise": lambda aim: [{"text": _said(aim), "slot": "lake", "value": "shallow", "place": "work.p1"}],
    "expand": lambda aim: [{"text": _said(aim), "slot": "lake", "value": "shallow", "place": "work.p1"}],
    "draw_claims": _always(), "lease": lambda aim: [{"objective": _said(aim)}],
    "outcome_report": lambda aim: [{"intent": _said(aim), "effect": "none"}],
    "contract": lambda aim: [{"text": _said(aim), "slot": "lake", "value": aim.word}],
    "kind_add": lambda aim: [{"name": aim.word}], "run": _always(job="settle"), "cancel": _always(job="settle"),
    "signal": lambda aim: [{"counts": [{"family": aim.word, "dimension": "x"}]}],
    "propose": lambda aim: [
        {"text": _said(aim), "sources": [{"kind": "exchange", "reference": aim.id}]},
        {"text": _said(aim), "sources": [{"kind": "exchange", "reference": aim.address}]},
    ],
    "chat_add": lambda aim: [{"session": aim.word, "text": _said(aim)}],
    "chat_clear": lambda aim: [{"session": aim.word}], "dream": _always(dry_run=True),
    "subscribe": lambda aim: [{"topics": [aim.word], "sources": [aim.user]}],
    "deliver": _always(limit=100), "thread_open": lambda aim: [{"thread": aim.word, "title": _said(aim)}],
    "session_start": _of_thread, "handoff_write": lambda aim: [{"thread": aim.word, "note": _said(aim)}],
    "handoff_read": _of_thread, "handoff_consume": lambda aim: [{"thread": aim.word, "session": aim.user}],
    "checkpoint": lambda aim: [{"thread": aim.word, "note": _said(aim)}],
    "turn_start": lambda aim: [{"thread": aim.word, "message": f"what of {aim.word}?"}],
    "turn_end": lambda aim: [{"thread": aim.word, "turns": [_said(aim)]}],
    "compacted": lambda aim: [{"thread": aim.word, "session": aim.user, "summary": _said(aim)}],
    "identity_plan": lambda aim: [{"file": "SOUL.md", "text": _said(aim), "reason": "asked"}],
    "attach": lambda aim: [{"name": f"{aim.word}.txt", "content": _said(aim), "thread": aim.word}],
    "capture_task": lambda aim: [{"task": aim.word, "result": _said(aim)}],
    "capture_flow_node": lambda aim: [{"flow": aim.word, "node": "one", "output": _said(aim)}],
    "capture_flow": lambda aim: [{"flow": aim.word, "nodes": ["one", "two"]}],
    "capture_round": lambda aim: [{"facts": [_said(aim)]}],
    "capture_research": lambda aim: [{"query": aim.word, "findings": [{"text": _said(aim)}]}],
    "store_execution": lambda aim: [{"goal": _said(aim), "steps": ["look", "write"]}],
    "capture_skill": lambda aim: [{"skill": aim.word, "text": _said(aim)}],
    "restart_begin": lambda aim: [{"session": aim.word, "continuation": "go on", "budget": 1}],
    "restart_step": lambda aim: [{"session": aim.word, "step": "reach"}], "proposals": _of_thread,
}  # fmt: skip
"""What writes something of the caller's own: what others hold must neither come back nor change."""

OPERATORS: Final[dict[str, Make]] = {
    "lease_decide": lambda aim: [{"lease": aim.claim, "decision": "grant"}], "space_retire": _always(name="old"),
    "mature_decide": lambda aim: [{"candidate": aim.claim, "decision": "accept"}],
    "settings": _always(), "setting_put": _always(name="floor_ms", value="5"),
    "undo": _always(job="sweep"), "purge": _named(), "settle": _named(), "resolve": _named(answer="dismiss"),
    "forget_user": lambda aim: [{"user": aim.user, "yes": True}],
    "grant": _always(subject="agent:self", level="forget"), "revoke": _always(subject="agent:other"),
    "grants": _always(subject="agent:other"), "scopes": _always(), "contexts": _always(), "recheck": _always(),
    "decide": lambda aim: [
        {"claim": aim.claim, "decision": "accept", "text": _said(aim), "source_state": "exact_match"}
    ],
    "retract": lambda aim: [{"claim": aim.claim, "text": _said(aim), "source_state": "exact_match"}],
    "claim_mode": _always(mode="enforce"), "token_create": _always(subject="operator"), "token_list": _always(),
    "token_revoke": lambda aim: [{"token": aim.id}],
    "plan": _always(transition="rule", target="reads_per_minute", value="1000"),
    "apply": lambda aim: [{"plan": aim.id, "yes": True}], "rollback": lambda aim: [{"plan": aim.id, "yes": True}],
    "plans": _always(), "audit_list": lambda aim: [{"subject": aim.word}], "audit_verify": _always(),
    "audit_anchor": _always(),
    "pause": _always(), "resume": _always(), "seal": lambda aim: [{"place": aim.place, "seal": "open"}],
    "vault_protect": _always(passphrase="open sesame"), "vault_unlock": _always(passphrase="open sesame"),
    "vault_lock": _always(),
    "export": lambda aim: [{"to": "/nonexistent/out.jsonl", "user": aim.user}],
    "import": _always(file="/nonexistent/in.jsonl"), "backup": _always(target="/nonexistent/copy.db"),
    "capture_enable": _always(adapter="git"), "capture_disable": _always(adapter="git"),
    "capture_private": lambda aim: [{"what": "app", "pattern": aim.word}],
    "capture_allow": lambda aim: [{"what": "app", "pattern": aim.word}], "capture_only": _always(only=True),
    "capture_events": _always(events=[]), "capture_git": _always(repository="/nonexistent"),
    "dreams": lambda aim: [{"limit": 10}, {"report": aim.claim}], "dream_apply": lambda aim: [{"report": aim.claim}],
    "prune": _always(name="infer"), "identity_apply": lambda aim: [{"plan": aim.claim, "yes": True}],
    "identity_rollback": lambda aim: [{"plan": aim.claim, "yes": True}],
    "proposal_decide": lambda aim: [{"proposal": aim.claim, "decision": "accept"}], "bundle_make": _of_thread,
    "bundle_approve": lambda aim: [{"bundle": aim.claim, "yes": True}],
    "bundle_export": lambda aim: [{"bundle": aim.claim, "to": "/nonexistent/bundle"}],
}  # fmt: skip
"""What only the operator may: refused alike, whatever it names."""

CASES: Final[dict[str, Make]] = {**READS, **WRITES, **TAKES, **OPERATORS}
