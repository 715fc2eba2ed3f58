"""The guard before the operations: first sight, caches of several processes, locks, the vault, limits, what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from palazzo.engine import Engine
from palazzo.errors import Conflict, NotFound, NotPermitted, RateLimited, Refused
from palazzo.guard.gate import Guard
from palazzo.guard.reduce import Exists, Outline
from palazzo.guard.rules import Rules
from palazzo.model.address import Place
from palazzo.model.capability import Level
from palazzo.model.change import ChangePlace
from palazzo.model.message import Message
from palazzo.model.scope import Scope
from palazzo.operations.call import call
from palazzo.operations.caller import Caller, network_caller
from palazzo.spaces import Spaces
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import options_for, place_memory

Ask = Callable[..., Any]
PORT = "The Heron server listens on port 8080."


def in_the_vault(engine: Engine) -> UUID:
    """A memory in the vault of a palace without a key, as an earlier release may have left one."""
    made = place_memory(PORT, place="vault.keys", name="port")
    engine.store.commit([made])
    return made.memory_id


def engine_on(folder: Path, clock: FixedClock, **rules: Any) -> Engine:
    """Another process's engine over the same palace."""
    store = SqliteStore.open(folder, clock, options_for("sqlite"))
    spaces = Spaces(store, None, "none", lambda _: None)
    return Engine(store, clock, spaces, guard=Guard(store, clock, Rules(**rules)))


def test_a_new_mcp_client_may_ask_whether_for_thirty_days_from_first_sight(ask: Ask, clock: FixedClock) -> None:
    ask("remember", text=PORT)
    assert ask("recall", "mcp:new", cue="Heron server port") == Exists(exists=True)
    assert ask("get", "mcp:new", memory="00000000-0000-7000-8000-000000000000") == Exists(exists=False)
    clock.advance(days=29)
    assert ask("recall", "mcp:new", cue="Heron server port") == Exists(exists=True)
    clock.advance(days=2)
    with pytest.raises(NotPermitted):
        ask("recall", "mcp:new", cue="Heron server port")
    assert ask("recall", "mcp:later", cue="Heron server port") == Exists(exists=True)


def test_first_sight_is_remembered_by_the_palace_and_not_renewed_by_a_revoke(
    engine: Engine, ask: Ask, clock: FixedClock
) -> None:
    ask("recall", "mcp:new", cue="Heron")
    clock.advance(days=31)
    with engine_on(engine.store.folder, clock) as other, pytest.raises(NotPermitted):
        call(other, Caller(subject="mcp:new"), "recall", {"cue": "Heron"})
    ask("grant", subject="mcp:new", level="write")
    ask("recall", "mcp:new", cue="Heron")
    ask("revoke", subject="mcp:new")
    with pytest.raises(NotPermitted):
        ask("recall", "mcp:new", cue="Heron")


def test_a_grant_and_a_revoke_of_another_process_hold_from_the_next_call_on(
    engine: Engine, ask: Ask, clock: FixedClock
) -> None:
    ask("remember", text=PORT)
    with engine_on(engine.store.folder, clock) as other:
        guest = Caller(subject="agent:guest")
        with pytest.raises(NotPermitted):
            call(other, guest, "list", {})
        ask("grant", subject="agent:guest", level="read_all")
        assert len(call(other, guest, "list", {})) == 1
        ask("revoke", subject="agent:guest")
        with pytest.raises(NotPermitted):
            call(other, guest, "list", {})


@pytest.mark.parametrize(
    "subject",
    ["kit:banking", "kit:Password_Manager", "kit:acme-banking", "kit:health:fit", "banking:acme", "KIT:health"],
)
def test_a_locked_kit_stays_at_none_until_the_operator_lifts_its_lock(ask: Ask, subject: str) -> None:
    ask("grant", subject=subject, level="forget")
    with pytest.raises(NotPermitted):
        ask("list", subject)
    plan = ask("plan", transition="lock", target=subject, value="lifted")
    with pytest.raises(NotPermitted):
        ask("list", subject)
    ask("apply", plan=str(plan.plan), yes=True)
    assert len(ask("list", subject)) == 0
    ask("rollback", plan=str(plan.plan), yes=True)
    with pytest.raises(NotPermitted):
        ask("list", subject)


def test_a_kit_whose_name_only_resembles_a_locked_one_is_not_locked(ask: Ask) -> None:
    ask("grant", subject="kit:riverbanking-atlas", level="read_all")
    assert len(ask("list", "kit:riverbanking-atlas")) == 0


def test_the_vault_opens_only_in_a_session_that_was_unlocked_and_closes_by_itself(
    engine: Engine, ask: Ask, clock: FixedClock
) -> None:
    with pytest.raises(Refused, match="vault"):
        ask("remember", text=PORT, place="vault.keys", kind="fact", name="port")
    with pytest.raises(Conflict):
        ask("vault_unlock", passphrase="open sesame")
    ask("vault_protect", passphrase="open sesame")
    with pytest.raises(NotPermitted):
        ask("vault_unlock", passphrase="open says me")
    ask("vault_unlock", passphrase="open sesame", minutes=10)
    made = in_the_vault(engine)
    assert ask("get", memory=made).text == PORT
    assert len(ask("recall", cue="Heron port")) == 1
    ask("grant", subject="agent:clerk", level="forget", place="**")
    assert len(ask("list", "agent:clerk")) == 0
    other = Caller(session="another window")
    with pytest.raises(NotFound):
        call(engine, other, "get", {"memory": made})
    clock.advance(minutes=10)
    with pytest.raises(NotFound):
        ask("get", memory=made)
    assert len(ask("recall", cue="Heron port")) == 0


def test_a_subject_reaches_the_vault_with_a_grant_that_names_it_and_an_unlock_of_its_session(
    engine: Engine, ask: Ask
) -> None:
    ask("vault_protect", passphrase="open sesame")
    ask("vault_unlock", passphrase="open sesame")
    in_the_vault(engine)
    ask("grant", subject="agent:keeper", level="read_all", place="vault.**")
    assert len(ask("list", "agent:keeper")) == 0
    ask("vault_unlock", passphrase="open sesame", subject="agent:keeper")
    assert len(ask("list", "agent:keeper")) == 1
    ask("vault_unlock", passphrase="open sesame", subject="agent:primary")
    assert len(ask("list", "agent:primary")) == 0
    ask("vault_lock")
    assert len(ask("list", "agent:keeper")) == 0


def test_a_place_made_part_of_the_vault_closes_to_grants_for_everywhere(engine: Engine, ask: Ask) -> None:
    ask("remember", text=PORT, place="work.secret")
    assert len(ask("list", "agent:primary")) == 1
    engine.store.commit([ChangePlace(Place(("work", "secret")), "vault")])
    assert len(ask("list", "agent:primary")) == 0
    assert len(ask("list")) == 0
    with pytest.raises(NotPermitted):
        ask("remember", "agent:primary", text="The lake is deep.", place="work.secret.below")


def test_tries_at_the_passphrase_are_few(ask: Ask, clock: FixedClock) -> None:
    ask("vault_protect", passphrase="open sesame")
    for _ in range(5):
        with pytest.raises(NotPermitted):
            ask("vault_unlock", passphrase="guess guess")
    with pytest.raises(RateLimited):
        ask("vault_unlock", passphrase="open sesame")
    clock.advance(minutes=1)
    ask("vault_unlock", passphrase="open sesame")


def test_an_untrusted_subject_asks_twenty_times_a_minute_and_two_hundred_times_a_session(
    engine: Engine, ask: Ask, clock: FixedClock
) -> None:
    ask("grant", subject="agent:guest", level="read_public")
    for number in range(200):
        if number and number % 20 == 0:
            with pytest.raises(RateLimited) as caught:
                ask("list", "agent:guest")
            assert caught.value.retry_after_s == pytest.approx(60)
            clock.advance(minutes=1)
        ask("list", "agent:guest")
    clock.advance(minutes=5)
    with pytest.raises(RateLimited) as caught:
        ask("list", "agent:guest")
    assert caught.value.retry_after_s is None
    call(engine, Caller(subject="agent:guest", session="the next"), "list", {})


def test_trusted_callers_are_not_held_up(ask: Ask) -> None:
    ask("grant", subject="agent:trusted", level="read_all")
    for subject in ("operator", "agent:primary", "agent:trusted"):
        for _ in range(30):
            ask("list", subject)


def test_writes_are_limited_where_the_rules_say_so_and_never_for_the_operator(
    engine: Engine, clock: FixedClock
) -> None:
    with engine_on(engine.store.folder, clock, writes_per_minute=2) as strict:
        primary = Caller(subject="agent:primary")
        texts = ["The lake is deep.", "Mira paints boats.", "Owls hunt at night."]
        for text in texts[:2]:
            call(strict, primary, "remember", {"text": text})
        with pytest.raises(RateLimited):
            call(strict, primary, "remember", {"text": texts[2]})
        for text in texts:
            call(strict, Caller(), "remember", {"text": text})


def test_an_untrusted_subject_is_shown_scores_in_four_words_and_no_figures(ask: Ask) -> None:
    for text in (PORT, "The Heron boat has a port side.", "The lake is deep."):
        ask("remember", text=text)
    ask("grant", subject="agent:guest", level="read_public")
    exact, told = ask("recall", cue="Heron server port"), ask("recall", "agent:guest", cue="Heron server port")
    assert [hit.memory.id for hit in told] == [hit.memory.id for hit in exact]
    assert {hit.match for hit in told} <= {"high", "medium", "low", "minimal"}
    assert {hit.score for hit in told} <= {0.85, 0.6, 0.4, 0.0}
    assert all(hit.reasons == () for hit in told)
    assert (told.latency_ms, told.candidates) == (0.0, 0)
    assert exact[0].reasons
    assert exact[0].match == "high"


def test_the_answer_to_an_untrusted_subject_takes_as_long_as_the_rules_say(engine: Engine, clock: FixedClock) -> None:
    waited: list[float] = []
    guard = Guard(engine.store, clock, Rules(floor_ms=5_000), wait=waited.append)
    slow = Engine(engine.store, clock, engine.spaces, guard=guard)
    call(slow, Caller(subject="mcp:new"), "list", {})
    with pytest.raises(NotPermitted):
        call(slow, Caller(subject="stranger"), "list", {})
    call(slow, Caller(subject="agent:primary"), "list", {})
    call(slow, Caller(), "list", {})
    assert len(waited) == 2
    assert all(4 < pause <= 5 for pause in waited)


def test_noise_moves_words_and_never_the_order(engine: Engine, ask: Ask, clock: FixedClock) -> None:
    texts = [f"The {colour} boat lies in the harbour." for colour in ("red", "green", "black", "white", "blue")]
    for text in texts:
        ask("remember", text=text, verbatim=True)
    ask("grant", subject="agent:guest", level="read_public")
    with engine_on(engine.store.folder, clock, score_noise=0.5, reads_per_minute=1000) as noisy:
        guest = Caller(subject="agent:guest")
        replies = [call(noisy, guest, "recall", {"cue": "red boat harbour"}) for _ in range(30)]
    assert len({tuple(hit.memory.id for hit in reply) for reply in replies}) == 1
    assert len({tuple(hit.match for hit in reply) for reply in replies}) > 1


def test_a_metadata_caller_is_told_counts_places_kinds_and_times(ask: Ask, clock: FixedClock) -> None:
    ask("remember", text=PORT, place="work.projects", kind="fact")
    ask("remember", text="The lake is deep.", place="life.places", kind="fact")
    ask("grant", subject="agent:counter", level="metadata")
    told = ask("list", "agent:counter")
    assert isinstance(told, Outline)
    assert [(tally.name, tally.count) for tally in told.places] == [("life.places", 1), ("work.projects", 1)]
    assert (told.count, told.first_at) == (2, clock.now())
    assert "Heron" not in repr(ask("recall", "agent:counter", cue="Heron server port"))


def test_paused_capture_brings_nothing_in_and_the_rest_goes_on(engine: Engine, ask: Ask) -> None:
    ask("pause")
    with pytest.raises(NotPermitted, match="paused"):
        engine.observe([Message(text="ls -la", source="command")])
    assert ask("remember", text=PORT).id
    ask("resume")
    engine.observe([Message(text="I moved to Lisbon last week.", source="command")])


def test_a_run_from_the_network_reads_only_and_stays_in_its_channel(engine: Engine, ask: Ask) -> None:
    caller = network_caller("webhook", "orders", Scope.of(project="heron"))
    assert caller.scope == Scope.of(project="heron", channel="webhook:orders")
    ask("remember", text=PORT, project="heron")
    assert len(call(engine, caller, "recall", {"cue": "Heron port"})) == 1
    for name, given in (("remember", {"text": "The lake is deep."}), ("list", {"channel": "other"})):
        with pytest.raises(NotPermitted):
            call(engine, caller, name, given)


def test_a_default_of_the_connection_is_no_way_round_a_lock(engine: Engine) -> None:
    with pytest.raises(NotPermitted):
        call(engine, Caller(subject="kit:banking", default=Level.write), "list", {})


def test_nothing_below_a_vault_is_outside_it_and_sealing_above_weakens_nothing(engine: Engine) -> None:
    def seals() -> dict[str, str]:
        with engine.store.database.read() as connection:
            return dict(connection.execute("SELECT path, seal FROM place WHERE path LIKE 'work%'").fetchall())

    change = engine.store.commit
    change([ChangePlace(Place(("work", "a", "deep")), "vault"), ChangePlace(Place(("work",)), "sealed")])
    assert seals() == {"work": "sealed", "work.a": "sealed", "work.a.deep": "vault"}
    with pytest.raises(Conflict):
        change([ChangePlace(Place(("work", "a")), "open")])
    with pytest.raises(Conflict):
        change([ChangePlace(Place(("work", "a", "deep")), "open")])
    change([ChangePlace(Place(("work",)), "open")])
    assert seals() == {"work": "open", "work.a": "open", "work.a.deep": "vault"}
    change([ChangePlace(Place(("work",)), "vault"), ChangePlace(Place(("work",)), "open")])
    assert seals() == {"work": "open", "work.a": "open", "work.a.deep": "open"}
