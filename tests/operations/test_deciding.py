"""Nothing that is marked for agents leads to a decision: tried with every operation, on every surface."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args, get_origin
from uuid import UUID

import pytest
from tests.operations.test_capability import grant

from palazzo import Memory
from palazzo.belief.claims import ClaimDesk
from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, NotFound, NotPermitted, PalazzoError
from palazzo.model.capability import Level, View
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation, Parameter
from palazzo.operations.registry import OPERATIONS

AGENTS = ("agent:primary", "mcp:desk", "kit:tools", "operator:2", "Operator", "operator ")
DECISIONS = ("recheck", "resolve", "decide", "retract", "claim_mode", "settle", "purge", "grant", "revoke")
TEXT = "Boats float on water."
SOURCE = {"kind": "url", "reference": "https://example.org", "excerpt": TEXT}


def proposed(ask: Any, subject: str = "agent:primary") -> UUID:
    return UUID(str(ask("propose", subject, text=TEXT, sources=[SOURCE]).id))


def confirmed(claim: UUID, decision: str) -> dict[str, Any]:
    return {"claim": claim, "decision": decision, "text": TEXT, "source_state": "exact_match"}


def test_a_claim_goes_one_way_and_a_person_walks_it(ask: Any) -> None:
    claim = proposed(ask)
    look = ask("preview", "agent:primary", claim=claim)
    assert (look.source_state, look.recommendation, look.claim.status) == ("exact_match", "accept", "candidate")
    assert [one.id for one in ask("review").claims] == [claim]
    with pytest.raises(Conflict, match="observe"):
        ask("decide", **confirmed(claim, "accept"))
    ask("claim_mode", mode="enforce")
    with pytest.raises(InvalidInput, match="text"):
        ask("decide", **{**confirmed(claim, "accept"), "text": "Boats sink."})
    done = ask("decide", **confirmed(claim, "accept"))
    assert (done.status, ask("get", memory=done.memory).text) == ("verified", TEXT)
    (receipt,) = ask("preview", claim=claim).receipts
    assert (receipt.by, receipt.status) == ("operator", "verified")
    with pytest.raises(Conflict):
        ask("decide", **confirmed(claim, "reject"))
    assert ask("retract", claim=claim, text=TEXT, source_state="exact_match").status == "retracted"
    assert len(ask("preview", claim=claim).receipts) == 2


@pytest.mark.parametrize("subject", AGENTS)
def test_no_agent_decides_whatever_it_was_granted(engine: Engine, ask: Any, subject: str) -> None:
    claim = proposed(ask)
    memory = ask("remember", text="The lake is deep.").id
    grant(engine, subject, Level.forget, "**")
    arguments: dict[str, dict[str, Any]] = {
        "recheck": {}, "resolve": {"memory": memory, "answer": "confirm_stale"}, "decide": confirmed(claim, "accept"),
        "retract": {"claim": claim, "text": TEXT, "source_state": "exact_match"}, "claim_mode": {"mode": "enforce"},
        "settle": {"memory": memory}, "purge": {"memory": memory}, "grant": {"subject": subject, "level": "forget"},
        "revoke": {"subject": "agent:primary"},
    }  # fmt: skip
    assert set(arguments) == set(DECISIONS)
    for name, given in arguments.items():
        with pytest.raises(NotPermitted):
            ask(name, subject, **given)
    with pytest.raises(NotPermitted):
        ClaimDesk(engine.store, View(subject=subject), subject=subject)
    with pytest.raises(NotPermitted):
        engine.settle(memory, view=View(subject=subject))
    with pytest.raises(NotPermitted):
        engine.beliefs.staleness(View(), subject=subject).resolve(memory, "dismiss")
    assert (ask("claims").mode, ask("preview", claim=claim).claim.status) == ("observe", "candidate")


def _guess(parameter: Parameter, claim: UUID, memory: UUID) -> list[Any]:
    """Values an agent bent on deciding would try for a parameter."""
    if parameter.name in ("memory", "source", "target", "other"):
        return [str(memory), str(claim)]
    if parameter.name == "claim":
        return [str(claim)]
    if parameter.name in ("place", "below"):
        return ["_system.claims", "work"]
    known: dict[str, list[Any]] = {
        "sources": [[SOURCE]], "counts": [[{"family": "claim_mode", "dimension": "enforce"}]], "turns": [[TEXT]],
        "notes": [[{"text": TEXT, "place": "_system.claims", "kind": "claim", "tags": ["verified"]}]],
        "tags": [["verified", "approved"]], "tag": ["verified", "current"], "kind": ["claim"], "revision": [1],
        "went": ["well"], "slot": ["claim_mode"], "value": ["enforce"], "status": ["candidate"],
    }  # fmt: skip
    if parameter.name in known:
        return known[parameter.name]
    if get_origin(parameter.type) is not None:
        choices = [one for one in get_args(parameter.type) if isinstance(one, str)]
        return choices or [parameter.default]
    return [TEXT] if parameter.type is str else [parameter.default]


def _tries(operation: Operation, claim: UUID, memory: UUID) -> list[dict[str, Any]]:
    guesses = {p.name: _guess(p, claim, memory) for p in operation.parameters if not p.of_scope}
    required = {p.name: guesses[p.name][0] for p in operation.parameters if p.required}
    made = [dict(required)]
    for name, values in guesses.items():
        made += [{**required, name: value} for value in values if value is not None]
    return made


FOR_AGENTS = [operation for operation in OPERATIONS if operation.toolset]


@pytest.mark.parametrize("operation", FOR_AGENTS, ids=lambda o: o.name)
def test_no_operation_for_agents_accepts_rejects_or_changes_the_mode(
    operation: Operation, engine: Engine, ask: Any
) -> None:
    claim = proposed(ask)
    memory = ask("remember", text="The lake is deep.").id
    grant(engine, "agent:bent", Level.forget, "**")
    for arguments in _tries(operation, claim, memory):
        try:
            call(engine, Caller(subject="agent:bent"), operation.name, arguments)
        except PalazzoError:
            continue
    found = ask("preview", claim=claim)
    assert (found.claim.status, found.claim.memory, found.receipts) == ("candidate", None, ())
    assert ask("claims").mode == "observe"
    assert ask("claims", status="verified").claims == ()
    assert engine.beliefs.claims(subject="operator").trusted() == ()
    assert [g.granted_by for g in ask("grants", subject="agent:bent")] == ["operator"]


@pytest.mark.parametrize("subject", ["operator", "agent:bent"])
def test_nobody_sets_the_tag_of_a_verified_claim_by_hand(engine: Engine, ask: Any, subject: str) -> None:
    memory = ask("remember", text="The lake is deep.").id
    grant(engine, "agent:bent", Level.forget, "**")
    for name, given in (
        ("tag", {"memory": memory, "tag": "Verified "}), ("tag", {"memory": memory, "tag": "verified"}),
        ("remember", {"text": "The lake is cold.", "tags": ["approved", "verified"]}),
        ("register", {"place": "work", "name": "map", "text": "A map.", "tags": ["verified"]}),
        ("revert", {"memory": memory, "revision": 1, "tag": "verified"}),
    ):  # fmt: skip
        with pytest.raises(NotPermitted, match="claim"):
            ask(name, subject, **given)
    ask("tag", subject, memory=memory, tag="approved")


def test_what_decides_is_the_operators_alone_and_no_tool() -> None:
    marked = {operation.name for operation in OPERATIONS if operation.operator_only}
    assert set(DECISIONS) <= marked
    assert not [o.name for o in OPERATIONS if o.operator_only and (o.toolset or o.models)]
    words = ("accept", "reject", "approve", "mode", "unlock", "decide", "retract", "resolve", "settle")
    assert not [o.name for o in FOR_AGENTS if any(word in o.name.split("_") for word in words)]


def test_no_toolset_of_the_server_offers_a_decision() -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")
    from palazzo.surfaces.mcp.protocol import tools

    for toolset in ("core", "palace", "graph", "temporal", "full"):
        assert not {o.name for o in tools(toolset)} & set(DECISIONS)


def test_a_program_that_says_it_is_an_agent_is_refused_by_the_library(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", embedder="none", upkeep=False) as owner:
        claim = owner.propose(TEXT, [SOURCE]).id
        with Memory(tmp_path / "palace", embedder="none", upkeep=False, subject="agent:primary") as agent:
            with pytest.raises(NotPermitted):
                agent.decide(claim, "accept", TEXT, "exact_match")
            with pytest.raises(NotPermitted):
                agent.claim_mode("enforce")
        assert owner.preview(claim).claim.status == "candidate"


def test_an_agent_learns_nothing_about_files_from_the_sources_it_names(ask: Any, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(TEXT)
    there, gone = (
        ask("propose", "agent:primary", text=TEXT, sources=[{"kind": "file", "reference": str(path)}]).id
        for path in (file, tmp_path / "nothing.txt")
    )
    told = [ask("preview", "agent:primary", claim=claim).source_state for claim in (there, gone)]
    assert told == ["missing", "missing"]
    assert [ask("preview", claim=claim).source_state for claim in (there, gone)] == ["exact_match", "missing"]
    (found,) = ask("preview", claim=there).sources
    assert found.reference == str(file)


def test_a_source_that_is_a_memory_is_read_through_the_callers_own_eyes(engine: Engine, ask: Any) -> None:
    hidden = ask("remember", text=TEXT, place="life.notes", verbatim=True).id
    claim = ask("propose", text=TEXT, sources=[{"kind": "exchange", "reference": str(hidden)}]).id
    grant(engine, "agent:desk", Level.read_public, "work.**")
    assert ask("preview", claim=claim).source_state == "exact_match"
    with pytest.raises(NotFound):
        ask("preview", "agent:desk", claim=claim)
    assert list(ask("claims", "agent:desk").claims) == []


def test_naming_a_memory_in_a_claim_does_not_tell_its_author_whether_it_is_there(engine: Engine, ask: Any) -> None:
    hidden = ask("remember", text=TEXT, place="life.notes", verbatim=True).id
    grant(engine, "agent:desk", Level.write, "work.**")
    for reference in (str(hidden), "01977890-0000-7000-8000-000000000000"):
        made = ask("propose", "agent:desk", text=TEXT, sources=[{"kind": "exchange", "reference": reference}]).id
        assert ask("preview", "agent:desk", claim=made).source_state == "missing"


def accepted(ask: Any, reference: str, subject: str = "agent:primary", **whose: str) -> Any:
    """A claim drawn from one source, accepted by the operator in the same scope."""
    source = {"kind": "exchange", "reference": reference, "excerpt": TEXT}
    claim = ask("propose", subject, text=TEXT, sources=[source], **whose)
    ask("claim_mode", mode="enforce")
    state = ask("preview", claim=str(claim.id), **whose).source_state
    return ask("decide", claim=str(claim.id), decision="accept", text=TEXT, source_state=state, **whose)


def test_what_a_claim_becomes_is_seen_by_those_alone_who_see_its_source(ask: Any) -> None:
    source = ask("remember", text=TEXT, user_id="anna", verbatim=True)
    made = accepted(ask, str(source.id), "operator", user_id="anna")
    assert ask("get", memory=str(made.memory), user_id="anna").text == TEXT
    for whose in ({}, {"user_id": "berta"}):
        with pytest.raises(NotFound):
            ask("get", memory=str(made.memory), **whose)
        assert TEXT not in [hit.text for hit in ask("recall", cue="boats on water", **whose).hits]


def test_what_a_claim_becomes_stands_in_the_sealed_place_of_its_source(engine: Engine, ask: Any) -> None:
    source = ask("remember", text=TEXT, place="life.diary", name="boats", kind="fact", verbatim=True)
    ask("seal", place="life.diary", seal="sealed")
    made = accepted(ask, "life.diary/boats.fact", "operator")
    assert ask("get", memory=str(made.memory)).place == "life.diary"
    grant(engine, "agent:reader", Level.read_public, "**")
    assert ask("recall", "agent:reader", cue="boats on water").hits == ()
    assert ask("get", memory=str(source.id)).place == "life.diary"


def test_a_claim_from_scopes_that_have_nothing_in_common_is_not_accepted(ask: Any) -> None:
    hers = ask("remember", text=TEXT, user_id="anna", verbatim=True)
    with pytest.raises(Conflict, match="nothing in common"):
        accepted(ask, str(hers.id), "operator", user_id="berta")


def test_a_claim_from_two_places_that_are_sealed_apart_is_not_accepted(ask: Any) -> None:
    for place in ("life.diary", "work.board"):
        ask("remember", text=TEXT, place=place, name="boats", kind="fact", verbatim=True)
        ask("seal", place=place, seal="sealed")
    sources = [{"kind": "exchange", "reference": f"{place}/boats.fact"} for place in ("life.diary", "work.board")]
    claim = ask("propose", text=TEXT, sources=sources)
    ask("claim_mode", mode="enforce")
    with pytest.raises(Conflict, match="sealed apart"):
        ask("decide", claim=str(claim.id), decision="accept", text=TEXT, source_state="exact_match")


@pytest.mark.parametrize("reference", ["pipe", "~nobody-lives-here/notes", "endless", "folder", "null\0byte"])
def test_a_source_that_is_no_regular_file_is_missing_and_nobody_waits_for_it(
    reference: str, ask: Any, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "endless").symlink_to("/dev/zero")
    named = reference if reference.startswith("~") else str(tmp_path / reference)
    claim = ask("propose", text=TEXT, sources=[{"kind": "file", "reference": named}])
    assert ask("preview", claim=str(claim.id)).source_state == "missing"
    (tmp_path / "note").write_text(TEXT)
    whole = ask("propose", text=TEXT, sources=[{"kind": "file", "reference": (tmp_path / "note").as_uri()}])
    assert ask("preview", claim=str(whole.id)).source_state == "exact_match"


def test_a_product_whose_file_is_in_a_home_nobody_has_is_refused(ask: Any) -> None:
    with pytest.raises(InvalidInput, match="no home"):
        ask("register", name="logo", place="work", text="A fox.", files=["~nobody-lives-here/fox.svg"])
