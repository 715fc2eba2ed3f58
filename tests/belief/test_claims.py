from __future__ import annotations

from uuid import UUID

import pytest

from palazzo.belief.claims import ClaimDesk, Claims, check_source
from palazzo.errors import Conflict, InvalidInput, NotFound, NotPermitted
from palazzo.model.belief import Claimed
from palazzo.model.capability import View
from palazzo.model.change import PurgeMemory
from palazzo.model.scope import Scope
from palazzo.store.sql import journal
from palazzo.store.sql.memory import memories
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory

VIEW = View()
TEXT = "The nightly build runs at 02:00."
HANDOFF = Claimed(kind="handoff", reference="handoff-12", excerpt=f"Note: {TEXT}")


@pytest.fixture
def claims(store: SqliteStore) -> Claims:
    return Claims(store, VIEW, subject="agent:primary")


@pytest.fixture
def desk(store: SqliteStore) -> ClaimDesk:
    return ClaimDesk(store, VIEW, subject="operator")


def propose(claims: Claims) -> UUID:
    return claims.propose(TEXT, (HANDOFF,))


def believed(store: SqliteStore) -> list[str]:
    with store.reading(VIEW) as reading:
        return [one.text for one in memories.by_keys(reading, list(range(50))).values()]


def test_a_candidate_is_recorded_and_stands_in_no_context(store: SqliteStore, claims: Claims, desk: ClaimDesk) -> None:
    desk.set_mode("enforce")
    propose(claims)
    assert [one.text for one in claims.lane("candidate")] == [TEXT]
    assert claims.trusted() == ()
    assert believed(store) == []


def test_a_claim_needs_a_text_and_a_source(claims: Claims) -> None:
    with pytest.raises(InvalidInput, match="source"):
        claims.propose(TEXT, ())
    with pytest.raises(InvalidInput, match="says something"):
        claims.propose("  ", (HANDOFF,))


def test_a_person_accepts_and_the_receipt_says_what_was_confirmed(
    store: SqliteStore, claims: Claims, desk: ClaimDesk
) -> None:
    desk.set_mode("enforce")
    claim_id = propose(claims)
    desk.decide(claim_id, "accept", text=TEXT, source_state="exact_match")
    assert [one.text for one in claims.trusted()] == [TEXT]
    assert believed(store) == [TEXT]
    (receipt,) = claims.receipts(claim_id)
    assert (receipt.subject, receipt.status, receipt.source_state) == ("operator", "verified", "exact_match")


def test_observe_and_diagnostic_keep_candidates_only(claims: Claims, desk: ClaimDesk) -> None:
    assert claims.mode() == "observe"
    claim_id = propose(claims)
    for mode in ("observe", "diagnostic"):
        desk.set_mode(mode)  # type: ignore[arg-type]
        with pytest.raises(Conflict, match="candidates only"):
            desk.decide(claim_id, "accept", text=TEXT, source_state="exact_match")
    assert claims.get(claim_id).status == "candidate"


def test_leaving_enforce_takes_verified_claims_out_of_context(claims: Claims, desk: ClaimDesk) -> None:
    desk.set_mode("enforce")
    desk.decide(propose(claims), "accept", text=TEXT, source_state="exact_match")
    desk.set_mode("diagnostic")
    assert claims.trusted() == ()
    assert [one.text for one in claims.lane("verified")] == [TEXT]


def test_the_text_and_the_state_of_the_source_must_be_confirmed_as_they_are(claims: Claims, desk: ClaimDesk) -> None:
    desk.set_mode("enforce")
    claim_id = propose(claims)
    with pytest.raises(InvalidInput, match="text confirmed"):
        desk.decide(claim_id, "accept", text="The nightly build runs at 03:00.", source_state="exact_match")
    with pytest.raises(InvalidInput, match="missing, not exact_match"):
        desk.decide(claim_id, "accept", text=TEXT, source_state="exact_match", resolve=lambda _: None)
    assert claims.get(claim_id).status == "candidate"


def test_a_deferred_claim_can_be_decided_later_and_a_rejected_one_cannot(claims: Claims, desk: ClaimDesk) -> None:
    desk.set_mode("enforce")
    first, second = propose(claims), propose(claims)
    desk.decide(first, "defer", text=TEXT, source_state="exact_match")
    desk.decide(first, "accept", text=TEXT, source_state="exact_match")
    desk.decide(second, "reject", text=TEXT, source_state="exact_match")
    with pytest.raises(Conflict, match="rejected"):
        desk.decide(second, "accept", text=TEXT, source_state="exact_match")
    assert [one.status for one in claims.receipts(first)] == ["deferred", "verified"]


def test_retraction_is_its_own_operation_with_its_own_receipt(
    store: SqliteStore, claims: Claims, desk: ClaimDesk
) -> None:
    desk.set_mode("enforce")
    claim_id = propose(claims)
    with pytest.raises(Conflict, match="not verified"):
        desk.retract(claim_id, text=TEXT, source_state="drifted")
    desk.decide(claim_id, "accept", text=TEXT, source_state="exact_match")
    desk.retract(claim_id, text=TEXT, source_state="drifted")
    assert claims.trusted() == ()
    assert believed(store) == []
    assert [one.status for one in claims.receipts(claim_id)] == ["verified", "retracted"]


@pytest.mark.parametrize(
    ("now", "state", "advice"),
    [
        (f"Remember: {TEXT}", "exact_match", "accept"),
        ("Note: The nightly build runs at 02:00. See also the night build runs list", "exact_match", "accept"),
        ("The build page moved to another tool entirely", "drifted", "retract"),
        (None, "missing", "reverify"),
    ],
)
def test_a_source_check_compares_and_recommends(claims: Claims, now: str | None, state: str, advice: str) -> None:
    claim = claims.get(propose(claims))
    check = check_source(claim, lambda _: now)
    assert (check.state, check.recommendation) == (state, advice)


def test_a_source_that_says_part_of_it_overlaps(claims: Claims) -> None:
    handle = Claimed(kind="file", reference="ops.md", excerpt="nightly build")
    claim = claims.get(claims.propose(TEXT, (handle,)))
    check = check_source(claim, lambda _: "The nightly build runs when the backup is over.")
    assert (check.state, check.recommendation) == ("partial_overlap", "narrow")


def test_looking_changes_nothing(store: SqliteStore, claims: Claims) -> None:
    claim_id = propose(claims)
    with store.database.read() as connection:
        before = journal.last_seq(connection)
    claims.preview(claim_id, lambda _: None)
    claims.lane("candidate")
    claims.receipts(claim_id)
    with store.database.read() as connection:
        assert journal.last_seq(connection) == before


def test_a_preview_shows_recurrence_diversity_and_conflicts(
    store: SqliteStore, claims: Claims, clock: FixedClock
) -> None:
    claims.propose(TEXT, (Claimed(kind="file", reference="ops.md", excerpt=TEXT),))
    claim_id = propose(claims)
    rival = place_memory("The nightly build no longer runs at 02:00.")
    store.commit([rival])
    seen = claims.preview(claim_id)
    assert (seen.recurrence, seen.diversity) == (2, 2)
    assert seen.conflicts == (rival.memory_id,)
    assert seen.recommendation == "wait"


def test_nobody_but_a_person_gets_a_desk(store: SqliteStore) -> None:
    for subject in ("agent:primary", "mcp:client", "kit:slack", "shell", "", "Operator", "operator2", "agent:operator"):
        with pytest.raises(NotPermitted):
            ClaimDesk(store, VIEW, subject=subject)


def test_what_an_agent_is_given_has_no_way_to_a_decision() -> None:
    reachable = {name for name in dir(Claims) if not name.startswith("_")}
    assert reachable == {
        "propose",
        "draw",
        "diagnose",
        "get",
        "lane",
        "trusted",
        "mode",
        "preview",
        "receipts",
        "would_draw",
    }


def test_a_claim_of_another_scope_is_not_there(store: SqliteStore, claims: Claims) -> None:
    hidden = claims.propose(TEXT, (HANDOFF,), scope=Scope.of(user="ann"))
    with pytest.raises(NotFound):
        claims.get(hidden)


def test_a_purge_takes_the_claim_along(store: SqliteStore, claims: Claims, desk: ClaimDesk) -> None:
    desk.set_mode("enforce")
    claim_id = propose(claims)
    desk.decide(claim_id, "accept", text=TEXT, source_state="exact_match")
    memory_id = claims.get(claim_id).memory_id
    assert memory_id is not None
    store.commit([PurgeMemory(memory_id)])
    with pytest.raises(NotFound):
        claims.get(claim_id)
    with store.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM claim_source").fetchone() == (0,)
