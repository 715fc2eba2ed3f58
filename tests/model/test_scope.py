"""Laws of scope: one text per scope, prefixes, and who sees what."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palazzo.errors import InvalidInput
from palazzo.model.scope import GLOBAL, LEVELS, Scope, visible

calm = settings(deadline=None)

# Few values, so that generated scopes are often each other's prefix or sibling.
few = st.none() | st.sampled_from(["a", "b"])
scopes = st.builds(lambda *values: Scope.of(**dict(zip(LEVELS, values, strict=True))), few, few, few, few, few)
odd_values = st.none() | st.text(min_size=1, max_size=5).filter(str.isprintable) | st.text("/:%2F", min_size=1)
odd_scopes = st.builds(lambda *values: Scope.of(**dict(zip(LEVELS, values, strict=True))), *[odd_values] * len(LEVELS))


@calm
@given(odd_scopes)
def test_parsing_what_was_printed_gives_the_same_scope(scope: Scope) -> None:
    assert Scope.parse(str(scope)) == scope


fragments = st.sampled_from(["project", "squad", "agent", "user", ":", "/", "%2F", "%2f", "%", "x", "é", "", "\n"])


@calm
@given(st.lists(fragments, max_size=9).map("".join))
def test_any_text_prints_back_unchanged_or_is_refused(text: str) -> None:
    try:
        scope = Scope.parse(text)
    except InvalidInput:
        return
    assert str(scope) == text


@calm
@given(scopes, scopes)
def test_a_prefix_shows_in_the_text_as_the_store_compares_it(one: Scope, other: Scope) -> None:
    by_text = not str(one) or str(other) == str(one) or str(other).startswith(f"{one}/")
    assert one.is_prefix_of(other) == by_text == (one in other.prefixes())


@calm
@given(scopes)
def test_the_prefixes_run_from_global_to_the_scope_itself(scope: Scope) -> None:
    prefixes = scope.prefixes()
    assert (prefixes[0], prefixes[-1], len(prefixes)) == (GLOBAL, scope, len(scope.levels) + 1)
    assert list(prefixes) == sorted(prefixes)


@calm
@given(scopes, scopes, scopes)
def test_a_longer_reader_path_sees_at_least_as_much(short: Scope, reader: Scope, owner: Scope) -> None:
    for prefix in (short, *reader.prefixes()):
        if prefix.is_prefix_of(reader) and visible(prefix, owner):
            assert visible(reader, owner)


@calm
@given(scopes, scopes)
def test_a_reader_sees_its_own_path_and_nothing_beside_or_below_it(reader: Scope, owner: Scope) -> None:
    assert visible(reader, owner) == (owner in reader.prefixes())


@calm
@given(scopes, scopes)
def test_the_orchestrator_role_only_adds_and_never_opens_a_channel_or_user(reader: Scope, owner: Scope) -> None:
    plain, leading = visible(reader, owner), visible(reader, owner, orchestrator=True)
    assert leading >= plain
    if leading and not plain:
        assert owner.get("channel") is None
        assert owner.get("user") is None
        assert reader.led is not None
        assert reader.led.is_prefix_of(owner)


@calm
@given(scopes, scopes)
def test_a_longer_orchestrator_path_sees_as_much_unless_it_leads_something_smaller(reader: Scope, owner: Scope) -> None:
    for prefix in reader.prefixes():
        if prefix.led == reader.led and visible(prefix, owner, orchestrator=True):
            assert visible(reader, owner, orchestrator=True)


def test_an_orchestrator_reads_below_its_squad_else_its_project_and_no_further() -> None:
    lead = Scope.of(project="foxora", agent="lead")
    squad_lead = Scope.of(project="foxora", squad="web", agent="lead")
    coder = Scope.of(project="foxora", squad="web", agent="coder")
    tester = Scope.of(project="foxora", squad="core", agent="tester")
    assert visible(lead, coder, orchestrator=True)
    assert not visible(lead, coder)
    assert visible(squad_lead, coder, orchestrator=True)
    assert not visible(squad_lead, tester, orchestrator=True)
    assert not visible(lead, Scope.of(project="foxora", channel="ops"), orchestrator=True)
    assert not visible(lead, Scope.of(project="foxora", agent="coder", user="anna"), orchestrator=True)
    assert not visible(lead, Scope.of(project="other", agent="coder"), orchestrator=True)
    assert not visible(GLOBAL, coder, orchestrator=True)
    assert not visible(Scope.of(agent="lead"), Scope.of(agent="lead", channel="x"), orchestrator=True)


def test_a_scope_is_written_as_levels_and_values_with_three_characters_escaped() -> None:
    scope = Scope.of(project="foxora", agent="coder", user="anna")
    assert str(scope) == "project:foxora/agent:coder/user:anna"
    assert str(GLOBAL) == ""
    assert str(Scope.of(channel="slack:#dev/50% done")) == "channel:slack%3A#dev%2F50%25 done"
    assert (scope.get("agent"), scope.get("squad")) == ("coder", None)


@pytest.mark.parametrize(
    "text",
    [
        "agent:a/project:b",
        "agent:a/agent:b",
        "team:a",
        "project:",
        "project",
        "project:a/",
        "project:a%2f",
        "project:a%41",
        "user:a:b",
        "user:a\n",
        ":a",
    ],
)
def test_a_malformed_scope_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Scope.parse(text)


def test_an_empty_value_is_not_a_skipped_level() -> None:
    with pytest.raises(InvalidInput):
        Scope.of(project="")
