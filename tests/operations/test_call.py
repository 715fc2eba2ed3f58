"""Every operation through the one call, on a real palace: what it does and what it returns."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from palazzo import Memory
from palazzo.engine import Engine
from palazzo.errors import CycleRefused, InvalidInput, NotFound, VersionConflict
from palazzo.model.change import AddSpace
from palazzo.operations.arguments import as_plain
from palazzo.operations.care.spec import Verified
from palazzo.operations.registry import operation
from palazzo.testing.clock import FixedClock

PORT = "The Heron server listens on port 8080."


def remembered(ask: Any, text: str = PORT, **given: Any) -> UUID:
    found = ask("remember", text=text, **{"place": "work.projects", "kind": "fact", **given}).id
    assert isinstance(found, UUID)
    return found


def test_what_is_remembered_is_recalled_with_reasons_and_aware_times(ask: Any, clock: FixedClock) -> None:
    made = remembered(ask)
    (hit,) = ask("recall", cue="which port does Heron use?")
    assert (hit.memory.id, hit.text, hit.memory.place) == (made, PORT, "work.projects")
    assert hit.memory.created_at == clock.now()
    assert hit.reasons
    assert 0 < hit.trust <= 1


def test_an_update_is_a_new_revision_and_the_old_text_stays_in_the_history(ask: Any, clock: FixedClock) -> None:
    made = remembered(ask)
    before = clock.now()
    clock.advance(days=1)
    kept = ask("update", memory=made, text="The Heron server listens on port 9090.")
    assert kept.memories == (made,)
    assert ask("get", memory=made).text.endswith("9090.")
    assert ask("get", memory=made, as_of=before).text == PORT
    past = ask("history", memory=made)
    assert [(p.revision, p.current) for p in past] == [(1, False), (2, True)]
    assert [hit.text for hit in ask("recall", cue="Heron port")] == ["The Heron server listens on port 9090."]
    assert [hit.text for hit in ask("recall", cue="Heron port", as_of=before)] == [PORT]


def test_a_memory_is_named_by_id_address_or_name_and_anything_else_is_refused(ask: Any) -> None:
    made = remembered(ask, name="heron-port")
    assert ask("get", memory="work.projects/heron-port.fact").id == made
    assert ask("get", memory=str(made)).address == "work.projects/heron-port.fact"
    with pytest.raises(NotFound):
        ask("get", memory=uuid4())
    with pytest.raises(InvalidInput, match="its id, its address or its name"):
        ask("get", memory="that thing")


def test_what_is_forgotten_is_found_no_more_until_it_is_restored(ask: Any) -> None:
    made = remembered(ask)
    assert ask("forget", memory=made).state == "deleted"
    assert len(ask("recall", cue="Heron port")) == 0
    with pytest.raises(NotFound):
        ask("get", memory=made)
    assert [m.id for m in ask("list", state="forgotten")] == [made]
    assert ask("forget", memory=made).state == "deleted"
    assert ask("restore", memory=made).state == "active"
    assert ask("get", memory=made).text == PORT


def test_a_purge_leaves_nothing_to_restore(ask: Any) -> None:
    made = remembered(ask)
    assert ask("purge", memory=made).state == "purged"
    for name in ("restore", "history", "get"):
        with pytest.raises(NotFound):
            ask(name, memory=made)


def test_a_list_pages_through_everything_once_newest_first(ask: Any) -> None:
    texts = (
        "The lake is deep.",
        "Roses bloom.",
        "Mira paints boats.",
        "Soup helps.",
        "Trains hum.",
        "Owls hunt.",
        PORT,
    )
    made = [remembered(ask, text, name=f"note-{n}") for n, text in enumerate(texts)]
    seen: list[UUID] = []
    cursor = ""
    while True:
        page = ask("list", limit=3, cursor=cursor)
        assert page.total == 7
        seen += [m.id for m in page]
        cursor = page.next_cursor
        if not cursor:
            break
    assert seen == made[::-1]
    with pytest.raises(InvalidInput) as caught:
        ask("list", cursor="nonsense")
    assert caught.value.field == "cursor"


def test_a_list_keeps_to_a_place_or_what_is_below_it_and_to_kinds(ask: Any) -> None:
    remembered(ask, "The lake is deep.", place="life.places", name="lake")
    remembered(ask, "The server is slow.", place="work.projects.heron", name="slow", kind="error")
    remembered(ask, name="port")
    names = {
        place: sorted(m.name for m in ask("list", place=place)) for place in ("", "work.**", "work.*", "work.projects")
    }
    assert names == {
        "": ["lake", "port", "slow"], "work.**": ["port", "slow"], "work.*": ["port"], "work.projects": ["port"],
    }  # fmt: skip
    assert [m.name for m in ask("list", kinds=["error"])] == ["slow"]


def test_many_notes_are_one_transaction(ask: Any) -> None:
    kept = ask("remember_many", notes=["The lake is deep.", {"text": PORT, "place": "work.projects"}])
    assert len(kept.accounts) == 2
    assert {m.place for m in ask("list")} >= {"work.projects"}
    with pytest.raises(InvalidInput):
        ask("remember_many", notes=["The hill is steep.", ""])
    assert len(ask("list", place="work.projects")) == 1


def test_turns_are_kept_verbatim_in_their_thread(ask: Any) -> None:
    said = [{"role": "user", "content": "I moved to Lisbon in May."}, {"role": "assistant", "content": "How nice!"}]
    kept = ask("observe", turns=said, thread="evening", session="1")
    assert len(kept.accounts) == 2
    assert {m.text for m in ask("list", place="conversations.evening")} == {turn["content"] for turn in said}


def test_why_names_the_happening_and_explain_the_fate_of_every_stretch(ask: Any, clock: FixedClock) -> None:
    at = datetime(2025, 5, 1, 9, tzinfo=UTC)
    made = remembered(ask, at=at)
    why = ask("why", memory=made)
    assert (why.memory.id, why.origins[0].at, why.origins[0].author) == (made, at, "operator")
    assert "1 May 2025" in why.text
    account = ask("explain", memory=made).accounts[0]
    assert [(f.outcome, f.memory) for f in account.fates] == [("stored", made)]
    assert ask("explain", memory=account.id).accounts == (account,)
    assert ask("explain", memory=why.memory.address).accounts == (account,)


def test_links_are_made_walked_and_kept_without_circles(ask: Any) -> None:
    plan = remembered(ask, "The launch is on the third of March.", kind="task", name="launch")
    stack = remembered(ask, name="port")
    link = ask("relate", source=plan, target=stack, kind="depends_on")
    assert (link.source, link.target) == (plan, stack)
    assert [(s.depth, s.memory.id) for s in ask("walk", memory=plan)] == [(1, stack)]
    assert len(ask("walk", memory=plan, direction="in")) == 0
    assert ask("why", memory=plan).links[0].kind == "depends_on"
    with pytest.raises(CycleRefused):
        ask("relate", source=stack, target=plan, kind="depends_on")


def test_a_disagreement_waits_for_a_person_who_settles_it(ask: Any) -> None:
    older, newer = (ask("remember", text=f"My name is {name}.").id for name in ("Anna", "Hanna"))
    (found,) = ask("inbox")
    assert (found.older, found.said, found.newer) == (older, "My name is Anna.", newer)
    assert ask("settle", memory=newer, other=older).settled == newer
    assert len(ask("inbox")) == 0
    assert [m.text for m in ask("list")] == ["My name is Hanna."]


@pytest.mark.parametrize("both", [False, True])
def test_a_decision_about_a_disagreement_is_taken_back(ask: Any, *, both: bool) -> None:
    older, newer = (ask("remember", text=f"My name is {name}.").id for name in ("Anna", "Hanna"))
    ask("settle", memory=older, other=newer, both=both)
    ask("settle", memory=older, other=newer, reopen=True)
    (found,) = ask("inbox")
    assert (found.older, found.newer) == (older, newer)
    assert len(ask("list")) == 2
    assert not [link for link in ask("why", memory=older).links if link.kind == "supersedes"]
    with pytest.raises(InvalidInput):
        ask("settle", memory=older, reopen=True)


def test_places_are_counted_and_a_memory_moves_between_them(ask: Any) -> None:
    made = remembered(ask, name="port")
    assert ask("move", memory=made, place="work.servers").address == "work.servers/port.fact"
    assert {(p.place, p.memories) for p in ask("places", place="work")} == {("work.projects", 0), ("work.servers", 1)}
    assert ask("get", memory="work.servers/port.fact").id == made
    (work,) = (p for p in ask("places") if p.place == "work")
    assert (work.memories, work.below) == (0, 1)


def test_a_tag_names_a_revision_and_the_current_one_goes_back(ask: Any) -> None:
    made = remembered(ask, name="port")
    ask("tag", memory=made, tag="checked")
    ask("update", memory=made, text="The Heron server listens on port 9090.")
    ask("tag", memory=made, tag="current", revision=1)
    assert ask("get", memory=made).text == PORT
    with pytest.raises(NotFound):
        ask("tag", memory=made, tag="current", revision=7)
    ask("tag", memory=made, tag="current", revision=2)
    assert ask("get", memory="work.projects/port.fact?t=checked").text == PORT


def test_a_context_block_holds_what_is_known_within_its_budget(ask: Any) -> None:
    remembered(ask)
    block = ask("context", message="which port does Heron use?", budget_tokens=400)
    assert PORT in block.text
    assert [hit.text for hit in block.hits] == [PORT]
    assert 0 < block.tokens <= block.budget_tokens <= 400


def test_evidence_is_gathered_in_steps_and_says_what_stays_open(ask: Any) -> None:
    remembered(ask)
    found = ask("reason", question="which port does Heron use and who likes marmalade?")
    assert PORT in [hit.text for hit in found.evidence]
    assert len(found.steps) >= 2
    assert found.missing


def test_a_topic_is_followed_through_its_corrections(ask: Any, clock: FixedClock) -> None:
    made = remembered(ask)
    clock.advance(days=3)
    ask("update", memory=made, text="The Heron server listens on port 9090.")
    steps = [(c.step, c.text[-5:]) for c in ask("evolution", topic="Heron server port")]
    assert ("added", "8080.") in steps
    assert ("corrected", "9090.") in steps


def test_impact_is_what_rests_on_a_memory(ask: Any) -> None:
    plan, stack = remembered(ask, "The launch is in March.", name="launch"), remembered(ask, name="port")
    ask("relate", source=plan, target=stack, kind="depends_on")
    assert [step.memory.id for step in ask("impact", memory=stack)] == [plan]
    assert len(ask("impact", memory=plan)) == 0


def test_scopes_are_walls(ask: Any) -> None:
    made = ask("remember", text="My flight leaves at noon.", user_id="anna").id
    assert [len(ask("list", user_id=user)) for user in ("anna", "ben", None)] == [1, 0, 0]
    for keys in ({}, {"user_id": "ben"}, {"project": "anna"}):
        with pytest.raises(NotFound):
            ask("get", memory=made, **keys)
        with pytest.raises(NotFound):
            ask("update", memory=made, text="It leaves at one.", **keys)
        with pytest.raises(NotFound):
            ask("forget", memory=made, **keys)
    assert ask("update", memory=made, text="My flight leaves at one.", user_id="anna").memories == (made,)


def test_the_palace_is_counted_examined_verified_and_copied(ask: Any, tmp_path: Path) -> None:
    remembered(ask)
    assert ask("status").memories == 1
    assert ask("doctor").well
    assert ask("verify") == Verified(clean=True, problems=())
    assert ask("backup", target=str(tmp_path / "copy.db")).bytes > 0
    with pytest.raises(InvalidInput):
        ask("backup", target=str(tmp_path / "copy.db"))


TOLD_ELSEWHERE = frozenset({
    "dream_apply", "gap_ask", "gap_mute", "knows", "prune", "unfold", "publish", "subscribe", "unsubscribe", "deliver",
    "contemplate", "crystallise", "proposal_decide", "bundle_export",
    "capture_enable", "capture_disable", "capture_private", "capture_allow", "capture_events", "capture_git",
})  # fmt: skip
"""Operations whose results need more than a call before them; the tests of their own ask for them."""


OF_ONE_SNAPSHOT = ("snapshot_show", "snapshot_diff", "snapshot_restore", "snapshot_share", "snapshot_drop")


def of_work(ask: Any) -> dict[str, dict[str, Any]]:
    """Calls of the operations of continuity, in an order in which each finds what it needs."""
    plan = ask("identity_plan", file="TOOLS.md", text="The crane is blue.\n").plan
    receipt = ask("attach", name="chart.txt", content="QQ==").receipt
    ask("observe", turns=["The gulls sit on the mast."], thread="gulls")
    bundle = ask("bundle_make", thread="gulls").bundle
    ask("restart_begin", session="key", continuation="Go on.")
    taken = str(ask("snapshot_save").id)
    return {
        "chat_add": {"session": "quay", "text": "The bell is cracked."}, "chat_get": {"session": "quay"},
        "chat_clear": {"session": "quay"},
        "thread_open": {"thread": "pier"}, "session_start": {"thread": "pier", "session": "one"},
        "session_end": {"session": "one"}, "sessions": {"thread": "pier"}, "handoff_write": {"thread": "pier"},
        "handoff_read": {"thread": "pier"}, "handoff_consume": {"thread": "pier", "session": "one"},
        "checkpoint": {"thread": "pier"}, "turn_start": {"thread": "pier", "message": "Which port?"},
        "turn_end": {"thread": "pier", "turns": [{"content": "The buoy is red."}]}, "warm_start": {"thread": "pier"},
        "bridge": {"thread": "pier"}, "compacted": {"thread": "pier"}, "thread_close": {"thread": "pier"},
        "proof_check": {"text": "The server is running."},
        "identity_plan": {"file": "AGENTS.md", "text": "Ask first.\n"}, "identity_apply": {"plan": plan, "yes": True},
        "identity_rollback": {"plan": plan, "yes": True}, "attach": {"name": "chart.txt", "content": "QQ=="},
        "receipt_check": {"receipt": receipt}, "observe_attachment": {"receipt": receipt, "text": "One letter."},
        "capture_task": {"task": "sweep", "result": "The drain is blocked by leaves."},
        "capture_flow_node": {"flow": "load", "node": "weigh", "output": "The crates weigh forty tonnes. " * 2},
        "capture_flow": {"flow": "load", "nodes": ["weigh"]}, "capture_round": {"facts": "The ramp is steep."},
        "capture_research": {"query": "silt", "findings": [{"text": "The bar silts up."}]},
        "store_execution": {"goal": "sweep", "steps": ["sweep"], "outcome": "clean"},
        "capture_skill": {"skill": "knots", "text": "A bowline slips."},
        "restart_begin": {"session": "again", "continuation": "Go on."},
        "restart_step": {"session": "key", "step": "reach"}, "restart_state": {"session": "key"},
        "metabolism": {"thread": "pier"}, "standing": {"person": "ida"}, "dynamics": {"thread": "pier"},
        "snapshot_save": {}, "snapshot_list": {}, **{name: {"snapshot": taken} for name in OF_ONE_SNAPSHOT},
        "bundle_make": {"thread": "gulls"}, "bundle_approve": {"bundle": bundle, "yes": True},
    }  # fmt: skip


def test_every_result_survives_the_way_through_json(
    ask: Any, engine: Engine, tmp_path: Path, clock: FixedClock
) -> None:
    first, second = remembered(ask, name="port"), remembered(ask, "The lake is deep.", name="lake")
    names = [ask("remember", text=f"My name is {name}.").id for name in ("Anna", "Hanna")]
    token = ask("token_create", subject="mcp:desk").info.id
    note = tmp_path / "note.md"
    note.write_text("The bridge is old.")
    planned = str(ask("plan", transition="lock", target="kit:banking", value="lifted").plan)
    said = {"text": "The lake is deep.", "sources": [{"kind": "url", "reference": "u", "excerpt": "The lake is deep."}]}
    ask("claim_mode", mode="enforce")
    claim, other = (ask("propose", **said).id for _ in range(2))
    confirmed = {"text": said["text"], "source_state": "exact_match"}
    ask("decide", claim=other, decision="accept", **confirmed)
    kept_space = "of an earlier model"
    engine.store.commit([AddSpace("of a model", "x", 8), AddSpace(kept_space, "y", 8)])
    leases = [str(ask("lease", objective="Keep the notes.").id)]
    leases.append(str(ask("lease", "agent:primary", objective="Keep the notes.").id))
    candidate = str(ask("mature", lane="semantic", what="The lake stays deep.", evidence=[first]).id)
    ask("recheck")
    clock.advance(days=4000)
    ask("recheck")
    calls: dict[str, dict[str, Any]] = {
        "remember": {"text": "The hill is steep."}, "remember_many": {"notes": ["The moor is wide."]},
        "observe": {"turns": ["The hut is small."]}, "recall": {"cue": "port"}, "get": {"memory": first}, "list": {},
        "update": {"memory": second, "text": "The lake is shallow."}, "history": {"memory": second},
        "why": {"memory": first}, "explain": {"memory": first}, "relate": {"source": first, "target": second},
        "walk": {"memory": first}, "impact": {"memory": first}, "context": {"message": "port?"},
        "feedback": {"memory": first, "cue": "which boat?"},
        "reason": {"question": "which port?"}, "evolution": {"topic": "port"}, "inbox": {}, "places": {},
        "move": {"memory": first, "place": "work.ports"},
        "tag": {"memory": first, "tag": "checked"}, "tags": {"memory": first},
        "untag": {"memory": first, "tag": "checked"}, "bundle": {"name": "box", "place": "work"},
        "members": {"memory": "work/box.bundle"}, "unrelate": {"source": first, "target": second},
        "origin_add": {"of": first, "kind": "web", "label": "https://example.org"},
        "origin_link": {"source": second, "target": ask("why", memory=first).origins[0].id},
        "overview": {}, "activity": {}, "facts": {}, "trail": {}, "layout": {}, "scopes": {}, "contexts": {},
        "entities": {}, "entity": {"name": "Anna"}, "merge_entities": {"name": "Anna", "other": "Hanna"},
        "split_entity": {"name": "Hanna"}, "deprecate": {"memory": first}, "undeprecate": {"memory": first},
        "grant": {"subject": "mcp:desk", "level": "write"},
        "grants": {"subject": "mcp:desk"}, "revoke": {"subject": "mcp:desk"}, "settle": {"memory": names[1]},
        "forget": {"memory": second}, "restore": {"memory": second},
        "revise": {"text": "I use Helix as my editor."}, "contract": {"text": "I use Helix as my editor."},
        "spaces": {}, "space_retire": {"name": kept_space},
        "govern": {"action": "read"}, "lease": {"objective": "Keep the notes in order."}, "leases": {},
        "lease_end": {"lease": leases[0]}, "lease_decide": {"lease": leases[1], "decision": "grant"},
        "outcome_report": {"intent": "Read the notes.", "effect": "They were read."}, "outcomes": {},
        "mature": {"lane": "semantic", "what": "The lake stays deep.", "evidence": [first]}, "maturations": {},
        "mature_decide": {"candidate": candidate, "decision": "accept"},
        "expand": {"text": "door = green"}, "holds": {"text": "door = green"},
        "revert": {"memory": first, "revision": 1}, "as_of": {}, "path": {"source": first, "target": first},
        "outcome": {"memory": first, "went": "badly"}, "staleness": {"memory": first}, "review": {}, "recheck": {},
        "resolve": {"memory": first, "answer": "dismiss"}, "propose": said, "claims": {},
        "draw_claims": {"memory": first}, "claim_report": {}, "preview": {"claim": claim},
        "decide": {"claim": claim, "decision": "accept", **confirmed}, "retract": {"claim": other, **confirmed},
        "claim_mode": {"mode": "enforce"}, "signal": {"counts": [{"family": "language", "dimension": "rust"}]},
        "register": {"name": "map", "place": "work", "text": "A map of the lake.", "tags": ["approved"]},
        "product": {"name": "map", "place": "work"}, "models": {"name": "gpt-5"},
        "mind": {}, "mind_hold": {"memory": first}, "mind_clear": {}, "anticipate": {"message": "Which port?"},
        "purge": {"memory": second}, "burn": {"place": "work"}, "forget_user": {"user": "nobody"},
        "events": {}, "status": {}, "doctor": {}, "verify": {},
        "keep": {"memory": first, "pinned": True}, "kinds": {}, "kind_add": {"name": "voyage"},
        "health": {}, "settings": {}, "setting_put": {"name": "min_relevance", "value": ""},
        "jobs": {}, "run": {"job": "sweep"}, "cancel": {"job": "sweep"}, "undo": {"job": "sweep"},
        "backup": {"target": str(tmp_path / "copy.db")}, "import": {"file": str(note)},
        "export": {"to": str(tmp_path / "out.jsonl")},
        "plan": {"transition": "rule", "target": "floor_ms", "value": "50"}, "plans": {},
        "apply": {"plan": planned, "yes": True}, "rollback": {"plan": planned, "yes": True},
        "audit_list": {}, "audit_verify": {}, "audit_anchor": {}, "pause": {}, "resume": {},
        "vault_protect": {"passphrase": "open sesame"}, "vault_unlock": {"passphrase": "open sesame"}, "vault_lock": {},
        "seal": {"place": "life.x", "seal": "sealed"},
        "token_create": {"subject": "mcp:desk"}, "token_list": {}, "token_revoke": {"token": token},
    }  # fmt: skip
    from palazzo.operations.registry import BY_NAME

    engine.folder = tmp_path / "palace"
    engine.switched_on = frozenset({"seal", "standing", "dynamics"})
    calls |= of_work(ask)
    told = {name for name, declared in BY_NAME.items() if not any(p.required for p in declared.parameters)}
    calls |= {name: {} for name in told if name not in calls}
    assert set(calls) <= set(BY_NAME)
    assert {name for name in BY_NAME if name not in calls} <= TOLD_ELSEWHERE
    for name, arguments in calls.items():
        result = ask(name, **arguments)
        assert isinstance(result, operation(name).result)
        assert msgspec.json.decode(msgspec.json.encode(as_plain(result)), type=operation(name).result) == result


def test_a_backup_of_an_encrypted_palace_opens_with_the_key_file_beside_it(tmp_path: Path) -> None:
    words = "seven lanterns on the pier"
    (tmp_path / "copy").mkdir()
    with Memory(tmp_path / "palace", embedder="none", upkeep=False, passphrase=words) as memory:
        memory.remember("The ferry leaves at nine.")
        made = memory.backup(str(tmp_path / "copy" / "palace.db"))
    assert made.key_file == str(tmp_path / "copy" / "key.json")
    with Memory(tmp_path / "copy", embedder="none", upkeep=False, passphrase=words) as memory:
        assert memory.recall("when does the ferry leave?")[0].text == "The ferry leaves at nine."


def test_a_note_or_an_update_that_saw_an_older_revision_is_a_conflict_and_writes_nothing(ask: Any) -> None:
    made = ask("remember", text="The gate is green.", place="work", kind="fact", name="gate", if_revision=0).id
    ask("remember", text="The gate is red.", place="work", kind="fact", name="gate", if_revision=1)
    for seen in (0, 1, 3):
        with pytest.raises(VersionConflict):
            ask("remember", text="The gate is blue.", place="work", kind="fact", name="gate", if_revision=seen)
    with pytest.raises(VersionConflict):
        ask("update", memory=str(made), text="The gate is blue.", if_revision=1)
    assert [past.revision for past in ask("history", memory=str(made)).revisions] == [1, 2]
    ask("update", memory=str(made), text="The gate is blue.", if_revision=2)
    assert ask("get", memory=str(made)).text == "The gate is blue."
    with pytest.raises(InvalidInput, match="has a name"):
        ask("remember", text="The gate is open.", if_revision=1)
