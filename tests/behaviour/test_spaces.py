"""Vector spaces as a user meets them: another embedder takes over by itself, older ones are kept, the metric is set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from palazzo import Memory
from palazzo.engine import Engine
from palazzo.errors import Conflict, InvalidInput, NotFound
from palazzo.operations.call import call
from palazzo.operations.caller import Caller
from palazzo.spaces import Mover, SpaceRules, Spaces
from palazzo.store.sqlite.palace import SqliteStore
from palazzo.testing.clock import FixedClock
from palazzo.testing.models import HashEmbedder
from palazzo.testing.palace import options_for

MODELS = {f"model-{n}": HashEmbedder(dimensions=n) for n in (16, 24, 32, 40, 48, 56)}
Opened = Callable[..., AbstractContextManager[Callable[..., Any]]]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    @contextmanager
    def made(model: str, **rules: Any) -> Iterator[Callable[..., Any]]:
        folder = tmp_path / "palace"
        make = SqliteStore.open if folder.exists() else SqliteStore.create
        store = make(folder, FixedClock(), options_for("sqlite"))
        spaces = Spaces(store, MODELS[model], model, MODELS.get, SpaceRules(**rules))
        with Engine(store, FixedClock(), spaces) as engine:
            engine.mover = Mover(lambda: engine.jobs.run("backfill"), wait_s=0)
            spaces.when_behind = engine.mover.begin

            def ask(name: str, /, **arguments: Any) -> Any:
                if name == "moved":
                    return engine.mover.wait()
                return call(engine, Caller(), name, arguments)

            yield ask

    return made


def states(ask: Callable[..., Any]) -> dict[str, str]:
    return {one.model: one.state for one in ask("spaces")}


def test_another_embedder_takes_over_by_itself_once_a_palace_is_used(opened: Opened) -> None:
    with opened("model-16") as ask:
        for n in range(30):
            ask("remember", text=f"Buoy number {n} lies off the cape.", verbatim=True)
        assert states(ask) == {"model-16": "active"}
    with opened("model-24") as ask:
        assert ask("recall", cue="buoy number 7 off the cape").hits
        ask("moved")
        assert states(ask) == {"model-16": "kept", "model-24": "active"}
        (old, new) = ask("spaces")
        assert (new.vectors, new.missing, old.vectors) == (30, 0, 30)
        assert ask("recall", cue="buoy number 7 off the cape").hits


def test_the_last_three_spaces_are_kept_and_going_back_gives_vectors_only_to_what_came_since(opened: Opened) -> None:
    for n, model in enumerate(list(MODELS)[:5]):
        with opened(model) as ask:
            ask("remember", text=f"Lantern {n} is lit.", verbatim=True)
            ask("moved")
            found = states(ask)
    assert found["model-48"] == "active"
    assert [model for model, state in found.items() if state == "kept"] == ["model-24", "model-32", "model-40"]
    with opened("model-48") as ask:
        ask("remember", text="The last lantern is out.", verbatim=True)
    with opened("model-40") as ask:
        (before,) = [one for one in ask("spaces") if one.model == "model-40"]
        assert (before.state, before.missing > 0, before.vectors >= 4) == ("filling", True, True)
        ask("recall", cue="lantern")
        ask("moved")
        assert states(ask)["model-40"] == "active"
        (after,) = [one for one in ask("spaces") if one.model == "model-40"]
        assert (after.vectors, after.missing) == (6, 0)


def test_a_kept_space_is_let_go_by_the_operator_and_one_in_use_is_not(opened: Opened) -> None:
    for model in ("model-16", "model-24"):
        with opened(model) as ask:
            ask("remember", text="The tide turns at six.", verbatim=True)
            ask("recall", cue="tide")
            ask("moved")
    with opened("model-24") as ask:
        old, new = (one.name for one in ask("spaces"))
        with pytest.raises(Conflict):
            ask("space_retire", name=new)
        assert "model-16" not in {one.model for one in ask("space_retire", name=old) if one.state != "retired"}
        with pytest.raises(NotFound):
            ask("space_retire", name="nobody")


@pytest.mark.parametrize("metric", ["cosine", "dot", "l2"])
def test_the_metric_is_a_setting_and_each_finds_by_meaning(opened: Opened, metric: str) -> None:
    with opened("model-48", metric=metric) as ask:
        for text in ("Storks nest on the chimney.", "The ledger closes in March.", "Rust grows on the anchor."):
            ask("remember", text=text, verbatim=True)
        assert [one.metric for one in ask("spaces")] == [metric]
        hits = ask("recall", cue="storks nest on the chimney")
        assert hits[0].text == "Storks nest on the chimney."
        assert any(reason.signal == "vector" for reason in hits[0].reasons)


def test_another_metric_makes_a_space_of_its_own_that_takes_over(opened: Opened) -> None:
    with opened("model-32") as ask:
        ask("remember", text="Storks nest on the chimney.", verbatim=True)
    with opened("model-32", metric="dot") as ask:
        ask("recall", cue="storks")
        ask("moved")
        assert [(one.metric, one.state) for one in ask("spaces")] == [("cosine", "kept"), ("dot", "active")]


def test_an_unknown_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="metric"):
        Memory(tmp_path / "p", embedder="none", metric="hamming").status()


def test_a_metric_that_is_set_while_a_palace_is_open_is_gone_by_at_once_in_every_process(tmp_path: Path) -> None:
    with Memory(tmp_path / "palace", upkeep=False) as memory, Memory(tmp_path / "palace", upkeep=False) as other:
        memory.remember("Ines teaches pottery on Thursdays.", verbatim=True)
        assert memory.setting_put("metric", "dot").at_once
        memory.run("backfill")
        assert [(one.metric, one.state) for one in memory.spaces()] == [("cosine", "kept"), ("dot", "active")]
        other.engine.tuning.refresh(at_once=True)  # type: ignore[union-attr]
        other.run("backfill")
        assert other.spaces().configured == memory.spaces().configured
        assert [(one.metric, one.state) for one in other.spaces()] == [("cosine", "kept"), ("dot", "active")]
        memory.setting_put("embedder", "none")
        assert memory.spaces().configured == ""
