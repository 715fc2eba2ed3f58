"""The passes of a dream, in the order they run."""

from __future__ import annotations

from palazzo.mind.assess import Assess
from palazzo.mind.consolidate import Consolidate
from palazzo.mind.dream import DreamPass
from palazzo.mind.gaps import Gaps
from palazzo.mind.habits import Habits
from palazzo.mind.infer import Infer
from palazzo.mind.opinion import Completing
from palazzo.mind.promote import Promote
from palazzo.mind.replay import Replay
from palazzo.mind.summaries import Summaries
from palazzo.store.api import Store


def every_pass(store: Store, zone: str, completer: Completing = lambda: None) -> tuple[DreamPass, ...]:
    """Every pass there is, in the order they run; `completer` gives the language model they may ask, if any."""
    return (
        Consolidate(store), Habits(store), Replay(store), Infer(store), Assess(store, completer),
        Summaries(store, zone, completer), Gaps(store), Promote(store),
    )  # fmt: skip
