"""Who may call what: the table of subjects, operations and places, and the scopes a caller may name."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, Literal, get_args, get_origin

import pytest

from palazzo.engine import Engine
from palazzo.errors import InvalidInput, NotFound, NotPermitted, PalazzoError
from palazzo.guard.reduce import Exists, Outline, Tally
from palazzo.model.address import Place, PlaceGlob
from palazzo.model.capability import Grant, Level
from palazzo.model.change import AddGrant, ChangePlace, RevokeGrant
from palazzo.model.scope import GLOBAL, Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller, scope_from
from palazzo.operations.declared import parameters_of
from palazzo.operations.registry import OPERATIONS
from palazzo.testing.clock import FixedClock


def grant(engine: Engine, subject: str, level: Level, glob: str, expires_us: int | None = None) -> None:
    made = Grant(
        subject=subject, subject_kind=subject.partition(":")[0], level=level, glob=PlaceGlob.parse(glob),
        start_us=engine.clock.now_us(), expires_us=expires_us, granted_by="operator",
    )  # fmt: skip
    engine.store.commit([AddGrant(made)])


@pytest.fixture
def memory(ask: Any) -> str:
    return str(ask("remember", text="The Heron server listens on port 8080.", place="work.projects", kind="fact").id)


def answer(ask: Any, subject: str, name: str, /, **arguments: Any) -> str:
    """How a call is answered: in full, reduced to what the level shows, or denied."""
    try:
        found = ask(name, subject, **arguments)
    except NotPermitted:
        return "denied"
    except PalazzoError:
        return "full"
    return {Exists: "exists", Outline: "outline"}.get(type(found), "full")


def allowed(ask: Any, subject: str, name: str, /, **arguments: Any) -> bool:
    return answer(ask, subject, name, **arguments) == "full"


def some(hint: Any) -> Any:
    """Some value of a parameter's type."""
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple:
        return [some(get_args(hint)[0])]
    if is_dataclass(hint):
        return {p.name: some(p.type) for p in parameters_of(hint) if p.required}  # type: ignore[arg-type]
    return {bool: True, int: 1, float: 1.0}.get(hint, "walnut tree")


ARGUMENTS: dict[str, dict[str, Any]] = {
    "remember": {"text": "The lake is deep here.", "place": "work.notes"},
    "remember_many": {"notes": [{"text": "The lake is deep here.", "place": "work.notes"}]},
    "observe": {"turns": ["The lake is deep here."]},
    "recall": {"cue": "lake"},
    "list": {},
    "inbox": {},
    "context": {"message": "lake"},
    "reason": {"question": "which lake?"},
    "evolution": {"topic": "lake"},
    "places": {},
    "grant": {"subject": "agent:guest", "level": "forget"},
    "revoke": {"subject": "agent:guest"},
    "grants": {"subject": "agent:guest"},
    "events": {},
    "plan": {"transition": "rule", "target": "floor_ms", "value": "50"},
    "apply": {"plan": "00000000-0000-7000-8000-000000000000", "yes": True},
    "rollback": {"plan": "00000000-0000-7000-8000-000000000000", "yes": True},
    "plans": {},
    "audit_list": {},
    "audit_verify": {},
    "audit_anchor": {},
    "pause": {},
    "capture_status": {},
    "capture_enable": {"adapter": "shell"},
    "capture_disable": {"adapter": "shell"},
    "capture_private": {"what": "app", "pattern": "diary"},
    "capture_allow": {"what": "path", "pattern": "/srv/barge"},
    "capture_only": {"only": False},
    "capture_events": {"events": [{"kind": "command", "source": "shell", "reference": "make"}]},
    "capture_git": {"repository": "/nowhere"},
    "raw_events": {},
    "resume": {},
    "vault_protect": {"passphrase": "open sesame"},
    "vault_unlock": {"passphrase": "open sesame"},
    "vault_lock": {},
    "seal": {"place": "work.x", "seal": "sealed"},
    "revise": {"text": "I use Helix as my editor.", "place": "work.notes"},
    "contract": {"text": "I use Helix as my editor."},
    "expand": {"text": "I use Helix as my editor.", "place": "work.notes"},
    "holds": {"text": "I use Helix as my editor."},
    "as_of": {},
    "review": {},
    "recheck": {},
    "signal": {"counts": [{"family": "language", "dimension": "rust"}]},
    "propose": {"text": "The lake is deep.", "sources": [{"kind": "url", "reference": "https://example.org"}]},
    "claims": {},
    "claim_report": {},
    "spaces": {},
    "space_retire": {"name": "nobody"},
    "govern": {"action": "read"},
    "lease": {"objective": "Keep the notes in order."},
    "leases": {},
    "lease_decide": {"lease": "00000000-0000-7000-8000-000000000000", "decision": "grant"},
    "outcome_report": {"intent": "Read the notes.", "effect": "They were read."},
    "outcomes": {},
    "maturations": {},
    "mature_decide": {"candidate": "00000000-0000-7000-8000-000000000000", "decision": "accept"},
    "preview": {"claim": "00000000-0000-7000-8000-000000000000"},
    "decide": {
        "claim": "00000000-0000-7000-8000-000000000000",
        "decision": "reject",
        "text": "x",
        "source_state": "missing",
    },
    "retract": {"claim": "00000000-0000-7000-8000-000000000000", "text": "x", "source_state": "missing"},
    "claim_mode": {"mode": "observe"},
    "register": {"name": "report", "place": "work.desk", "text": "The yearly report."},
    "bundle": {"name": "box", "place": "work.desk"},
    "tags": {},
    "overview": {},
    "layout": {},
    "scopes": {},
    "contexts": {},
    "activity": {},
    "facts": {},
    "trail": {},
    "entities": {},
    "models": {},
    "mind": {},
    "mind_clear": {},
    "anticipate": {"message": "Which port?"},
    "entity": {"name": "Heron"},
    "merge_entities": {"name": "Heron", "other": "Ibis"},
    "split_entity": {"name": "Heron"},
    "product": {"name": "report", "place": "work.desk"},
    "token_create": {"subject": "agent:guest"},
    "token_list": {},
    "token_revoke": {"token": "00000000-0000-7000-8000-000000000000"},
    "import": {"file": "nothing.json"},
    "export": {"to": "nothing/there/to.jsonl"},
    "burn": {"place": "work.projects", "yes": True},
    "forget_user": {"user": "anna"},
    "status": {},
    "kinds": {},
    "kind_add": {"name": "voyage"},
    "health": {},
    "settings": {},
    "setting_put": {"name": "min_relevance", "value": "0.2"},
    "jobs": {},
    "run": {"job": "sweep", "dry_run": True},
    "cancel": {"job": "sweep"},
    "undo": {"job": "sweep"},
    "doctor": {},
    "verify": {},
    "attach": {"name": "chart.txt", "content": "QQ=="},
}


SHOWN_ELSEWHERE = frozenset({"backup", "lease_end", "dream", "unfold"})
"""Operations that ask for more than a level, or for something that only others of them make: their own tests tell."""


def fitting(declared: Any, memory: str) -> dict[str, Any]:
    """Something for all that must be given: who may not call is told so before anybody looks whether it fits."""
    return {p.name: memory if p.name == "memory" else some(p.type) for p in declared.parameters if p.required}


@pytest.mark.parametrize("declared", [o for o in OPERATIONS if o.name not in SHOWN_ELSEWHERE], ids=lambda o: o.name)
def test_an_operation_is_answered_in_full_from_its_level_on_and_a_read_is_reduced_below_it(
    declared: Any, engine: Engine, ask: Any, memory: str
) -> None:
    arguments = ARGUMENTS[declared.name] if declared.name in ARGUMENTS else fitting(declared, memory)
    if declared.name == "update":
        arguments = {"memory": memory, "text": "The Heron server listens on port 9090."}
    if declared.name == "move":
        arguments = {"memory": memory, "place": "work.servers"}
    if declared.name in ("tag", "untag"):
        arguments = {"memory": memory, "tag": "checked"}
    extra = {
        "revert": {"revision": 1}, "resolve": {"answer": "dismiss"}, "outcome": {"went": "well"},
        "feedback": {"cue": "which port?"},
    }  # fmt: skip
    arguments = {**arguments, **extra.get(declared.name, {})}
    if declared.name == "preview":
        arguments = {"claim": ask("propose", **ARGUMENTS["propose"]).id}
    if declared.name == "mature":
        arguments = {"lane": "semantic", "what": "The server stays where it is.", "evidence": [memory]}
    if declared.name == "product":
        ask("register", **ARGUMENTS["register"], tags=["approved"])
    if declared.name == "restart_state":
        arguments = {"session": ask("restart_begin", session="key", continuation="Go on.").session}
    if declared.name == "receipt_check":
        arguments = {"receipt": ask("attach", **ARGUMENTS["attach"]).receipt}
    engine.switched_on = frozenset({"seal", "standing", "dynamics"})
    if declared.name == "path":
        arguments = {"source": memory, "target": memory}
    if declared.name == "bridge":
        arguments = {"thread": ask("session_start", thread="pier", session="first").thread}
    if declared.name == "origin_add":
        arguments = {"of": memory, "kind": "tool", "label": "lookup"}
    if declared.name == "origin_link":
        arguments = {"source": memory, "target": ask("why", memory=memory).origins[0].id}
    if declared.name == "members":
        arguments = {"memory": ask("bundle", **ARGUMENTS["bundle"]).bundle.id}
    if declared.name in ("relate", "unrelate"):
        other = ask("remember", text="The lake is deep.", place="life.places").id
        arguments = {"source": memory, "target": other}
    for level in Level:
        grant(engine, "agent:guest", level, "**")
        if declared.operator_only or level == Level.none:
            expected = "denied"
        elif level >= declared.level:
            expected = "full"
        elif declared.writes or declared.where == "palace":
            expected = "denied"
        else:
            expected = {Level.anchor: "exists", Level.metadata: "outline"}[level]
        assert answer(ask, "agent:guest", declared.name, **arguments) == expected, level


@pytest.mark.parametrize(
    ("subject", "may_recall", "may_write_work", "may_write_life", "may_forget"),
    [
        ("operator", True, True, True, True),
        ("agent:primary", True, True, True, False),
        ("shell:zsh", True, True, False, False),
        ("mcp:new", False, False, False, False),
        ("stranger", False, False, False, False),
        ("operator:2", False, False, False, False),
    ],
)
def test_subjects_begin_with_what_their_kind_is_given(
    subject: str, may_recall: bool, may_write_work: bool, may_write_life: bool, may_forget: bool, ask: Any, memory: str
) -> None:
    assert allowed(ask, subject, "recall", cue="heron") is may_recall
    assert allowed(ask, subject, "remember", text="The lake is deep.", place="work.x") is may_write_work
    assert allowed(ask, subject, "remember", text="The lake is deep.", place="life.x") is may_write_life
    assert allowed(ask, subject, "forget", memory=memory) is may_forget


def test_a_grant_in_the_palace_replaces_the_default_and_ends_when_it_expires_or_is_revoked(
    engine: Engine, ask: Any, clock: FixedClock, memory: str
) -> None:
    day_us = 86_400_000_000
    grant(engine, "mcp:desk", Level.read_public, "work.**", clock.now_us() + day_us)
    assert [hit.memory.place for hit in ask("recall", "mcp:desk", cue="Heron server port")] == ["work.projects"]
    clock.advance(days=2)
    assert not allowed(ask, "mcp:desk", "recall", cue="Heron")
    grant(engine, "mcp:desk", Level.read_public, "work.**")
    assert allowed(ask, "mcp:desk", "recall", cue="Heron")
    engine.store.commit([RevokeGrant("mcp:desk", "work.**")])
    assert not allowed(ask, "mcp:desk", "recall", cue="Heron")


def test_the_operator_grants_shows_and_revokes(ask: Any, memory: str, clock: FixedClock) -> None:
    assert [(g.level, g.place, g.granted_by) for g in ask("grants", subject="mcp:desk")] == [
        ("anchor", "**", "default")
    ]
    (given,) = ask("grant", subject="mcp:desk", level="write", place="work.**", days=7)
    assert (given.level, given.place, given.granted_by) == ("write", "work.**", "operator")
    assert given.expires_at is not None
    assert (given.expires_at - clock.now()).days == 7
    assert allowed(ask, "mcp:desk", "update", memory=memory, text="The Heron server listens on port 9090.")
    assert [g.granted_by for g in ask("revoke", subject="mcp:desk", place="work.**")] == ["default"]
    with pytest.raises(NotFound):
        ask("revoke", subject="mcp:desk", place="work.**")


def test_a_memory_is_moved_only_where_its_mover_may_write(engine: Engine, ask: Any, memory: str) -> None:
    with pytest.raises(NotPermitted, match="life"):
        ask("move", "shell:zsh", memory=memory, place="life.notes")


def test_metadata_shows_places_and_counts_but_no_memory(engine: Engine, ask: Any, memory: str) -> None:
    grant(engine, "agent:counter", Level.metadata, "work.**")
    ask("remember", text="The lake is deep.", place="life.places")
    assert [(p.place, p.memories) for p in ask("places", "agent:counter")] == [("work", 0)]
    assert [(p.place, p.memories) for p in ask("places", "agent:counter", place="work")] == [("work.projects", 1)]
    assert ask("get", "agent:counter", memory=memory).places == (Tally(name="work.projects", count=1),)
    assert ask("list", "agent:counter").count == 1


def test_what_is_out_of_reach_is_not_found_and_what_is_in_sight_but_fixed_is_refused(
    engine: Engine, ask: Any, memory: str
) -> None:
    grant(engine, "agent:far", Level.forget, "life.**")
    assert len(ask("recall", "agent:far", cue="Heron server port")) == 0
    assert len(ask("list", "agent:far")) == 0
    for name in ("get", "history", "why", "forget"):
        with pytest.raises(NotFound):
            ask(name, "agent:far", memory=memory)
    grant(engine, "agent:far", Level.read_public, "work.**")
    assert ask("get", "agent:far", memory=memory).place == "work.projects"
    with pytest.raises(NotPermitted, match=r"work\.projects"):
        ask("forget", "agent:far", memory=memory)


def test_sealed_places_open_to_those_who_may_read_all_and_to_the_operator(
    engine: Engine, ask: Any, memory: str
) -> None:
    engine.store.commit([ChangePlace(Place(("work",)), "sealed")])
    grant(engine, "agent:a", Level.read_public, "**")
    grant(engine, "agent:b", Level.read_all, "**")
    assert [len(ask("list", who)) for who in ("agent:a", "agent:b", "operator")] == [0, 1, 1]


def test_a_caller_that_names_no_place_must_be_allowed_everywhere(ask: Any) -> None:
    with pytest.raises(NotPermitted, match=r"it has write: work\.\*\*, forest\.\*\*"):
        ask("remember", "shell:zsh", text="The lake is deep.")


def test_a_server_may_give_its_clients_a_level_until_the_operator_decides(engine: Engine) -> None:
    client = Caller(subject="mcp:desk", default=Level.write)
    assert call(engine, client, "remember", {"text": "The lake is deep."}).id
    with pytest.raises(NotPermitted):
        call(engine, client, "remember", {"text": "The lake is deep.", "place": "vault.keys"})
    grant(engine, "mcp:desk", Level.read_public, "**")
    with pytest.raises(NotPermitted):
        call(engine, client, "remember", {"text": "The lake is wide."})


def test_scope_keys_name_levels_and_one_level_has_two_names() -> None:
    free = Caller(scope=Scope.of(project="heron"))
    assert scope_from(free, {}) == Scope.of(project="heron")
    assert scope_from(free, {"user_id": "anna", "agent_id": "a", "run_id": "r"}) == Scope.of(
        project="heron", agent="a", channel="r", user="anna"
    )
    assert scope_from(free, {"project": "crane", "squad": None}) == Scope.of(project="crane")
    with pytest.raises(InvalidInput, match="two names"):
        scope_from(free, {"run_id": "r", "channel": "r"})


def test_a_caller_bound_to_its_connection_may_not_name_another_scope() -> None:
    bound = Caller(subject="mcp:desk", scope=Scope.of(user="anna"), chooses_scope=False)
    assert scope_from(bound, {"user_id": "anna"}) == Scope.of(user="anna")
    assert scope_from(Caller(chooses_scope=False), {}) == GLOBAL
    with pytest.raises(NotPermitted):
        scope_from(bound, {"user_id": "ben"})
    with pytest.raises(NotPermitted):
        scope_from(bound, {"project": "heron"})
