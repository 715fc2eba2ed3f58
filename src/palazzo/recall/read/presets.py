"""How much work a recall may do, and for what: named sets of limits, whose memory a purpose reads, and what models
take.

Owns the numbers only. The cost stated is CPU time at 100,000 memories that are no turns, measured once on two busy
cores. Of language models: how much they take and give, how their tokens are counted, and the form in which a file adds
to the table; the longest matching prefix speaks, configured entries lie over the built-in ones. Invariants: a purpose
only ever cuts the reader's own path, except that work handed over is read as the one who will do it, and that an
orchestrator also reads below what it leads; nothing of a channel or a user goes along with a flow, a plan or a
delegation; every model name gets an answer, an unknown one a cautious one that says so.
"""

from __future__ import annotations

import json
import pkgutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from palazzo.errors import InvalidInput
from palazzo.model.capability import View
from palazzo.model.scope import Scope
from palazzo.text.words.tokens import estimate_tokens


class Preset(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Limits of one recall. `read` is how many of the best candidates have their text read for the last signals."""

    name: str
    text: int
    vector: int
    knowledge: int
    """Hits per index among memories that are no turns of a conversation."""
    read: int
    links: bool
    """Whether entities and edges are followed."""
    deadline_s: float
    """A branch that is not done by then is dropped and named."""
    cost: str
    reads: bool = True
    """Whether a learned reader is asked what answers and what changed, where the words leave it open."""

    def for_hits(self, wanted: int) -> Preset:
        """The same with every limit high enough that so many hits can be found."""
        if wanted <= min(self.text, self.vector, self.knowledge, self.read):
            return self
        return replace(
            self, text=max(self.text, wanted), vector=max(self.vector, wanted),
            knowledge=max(self.knowledge, wanted), read=max(self.read, wanted),
        )  # fmt: skip


PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({
    "fast": Preset(
        name="fast", text=50, vector=40, knowledge=30, read=40, links=False, deadline_s=0.25,
        cost="no learned reader is asked: two thirds of the CPU time of balanced on talk", reads=False,
    ),
    "balanced": Preset(
        name="balanced", text=100, vector=60, knowledge=40, read=60, links=False, deadline_s=2.0,
        cost="the measured default",
    ),
    "deep": Preset(
        name="deep", text=400, vector=300, knowledge=200, read=200, links=True, deadline_s=10.0,
        cost="twice the CPU time of balanced; follows entities and edges",
    ),
})  # fmt: skip


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises: InvalidInput.
    """
    found = PRESETS.get(name)
    if found is None:
        raise InvalidInput(f"no preset {name!r}", field="preset", hint=", ".join(PRESETS))
    return found


Purpose = Literal["turn", "task", "flow", "orchestrator", "delegation"]
PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)
FLOW: Final = "flow"
"""Also how the project of a flow is called before its name, and what says of which flow something was given."""

READS: Final[Mapping[Purpose, str]] = MappingProxyType({
    "turn": "the path of whoever asks",
    "task": "the path of whoever asks, with standing instructions and preferences at hand",
    "flow": "the project and squad, which all steps of a flow share",
    "orchestrator": "the squad or project it leads and the agents below, never a channel or a user",
    "delegation": "the project, the squad and the agent that will do the work",
})  # fmt: skip


def is_work(purpose: Purpose) -> bool:
    """Whether something is to be done, so that standing instructions and preferences apply whatever the wording."""
    return purpose != "turn"


def view_for(purpose: Purpose, view: View, delegate: str = "") -> View:
    """What is read for a purpose; `delegate` is the agent that work is handed to.

    Raises: InvalidInput for a purpose that does not exist, and for a delegation to nobody.
    """
    if purpose not in PURPOSES:
        raise InvalidInput(f"no purpose {purpose!r}", field="purpose", hint=", ".join(PURPOSES))
    if (purpose == "delegation") != bool(delegate):
        raise InvalidInput("a delegation, and nothing else, names the agent that will do the work", field="delegate")
    if purpose in ("turn", "task"):
        return view
    shared = Scope(tuple(one for one in view.scope.levels if one[0] in ("project", "squad")))
    seen = Scope((*shared.levels, ("agent", delegate))) if purpose == "delegation" else shared
    return replace(view, scope=seen, orchestrator=purpose == "orchestrator")


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """The capabilities of a family of models; `ratio` corrects the estimate of tokens for its vocabulary."""

    prefix: str
    context_tokens: int
    output_tokens: int
    tools: bool = True
    vision: bool = False
    thinking: bool = False
    tokenizer: str = "estimate"
    ratio: float = 1.0
    depth: int = 2
    """How many levels `reason` may go down when this model drives it."""
    counter: Callable[[str], int] | None = None
    """Counts exactly, where a vocabulary is at hand."""

    def count(self, text: str) -> int:
        """Tokens of a text for this model: exact with a vocabulary, else estimated within five to ten percent."""
        return round(estimate_tokens(text) * self.ratio) if self.counter is None else self.counter(text)


_OWN: Final = ("prefix", "counter")
_FIELDS: Final = ", ".join(name for name in Model.__struct_fields__ if name not in _OWN)
UNKNOWN: Final = Model(prefix="", context_tokens=8_192, output_tokens=1_024, tools=False, depth=1)


def _built_in() -> tuple[Model, ...]:
    """The table beside this module."""
    told = tomllib.loads((pkgutil.get_data(__package__, "models.toml") or b"").decode())["models"]
    return tuple(
        Model(
            prefix=prefix, context_tokens=context, output_tokens=output, tools="plain" not in marks.split(),
            vision="vision" in marks.split(), thinking="thinking" in marks.split(), **figures,
        )
        for prefix, (context, output, marks, figures) in told.items()
    )  # fmt: skip


MODELS: Final = _built_in()


def read_models(text: str, counter: Callable[[str], Callable[[str], int]]) -> tuple[Model, ...]:
    """The models of a JSON object: by prefix, whatever of their fields differs from the built-in entry, or from an
    unknown model's where there is none. `tokenizer` names a tokenizer.json, which `counter` turns into a count.

    Raises: InvalidInput for what is no such object, and whatever `counter` raises.
    """
    try:
        told = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"the table of models is no JSON: {error}", field="models") from None
    if not isinstance(told, dict):
        raise InvalidInput("the table of models is an object by prefix", field="models")
    known = {model.prefix: model for model in MODELS}
    return tuple(_read_model(known.get(prefix, UNKNOWN), prefix, given, counter) for prefix, given in told.items())


def _read_model(base: Model, prefix: str, given: object, counter: Callable[[str], Callable[[str], int]]) -> Model:
    plain = {name: type(getattr(base, name)) for name in Model.__struct_fields__ if name not in _OWN}
    if not isinstance(given, dict):
        raise InvalidInput(f"model {prefix!r} is an object", field="models")
    for name, value in given.items():
        wanted = plain.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        if wanted is None or not (isinstance(value, wanted) if wanted in (bool, str) else number):
            raise InvalidInput(f"model {prefix!r}: {name} is not a field of this kind", field="models", hint=_FIELDS)
    typed = {name: plain[name](value) for name, value in given.items()}
    exact = counter(typed["tokenizer"]) if "tokenizer" in typed else None
    return replace(base, prefix=prefix, counter=exact, **typed)


class ModelTable:
    """Models by prefix."""

    def __init__(self, models: Iterable[Model]) -> None:
        self._models = sorted(models, key=lambda model: -len(model.prefix))

    @classmethod
    def of(cls, configured: Iterable[Model] = (), counter: Callable[[str], int] | None = None) -> ModelTable:
        """The built-in table with configured entries laid over it; `counter` counts for those without their own."""
        merged = {model.prefix: model for model in (*MODELS, *configured, UNKNOWN)}
        if counter is None:
            return cls(merged.values())
        exact = (
            replace(m, counter=counter, tokenizer="exact") if m.counter is None else m for m in merged.values()
        )  # fmt: skip
        return cls(exact)

    @property
    def every(self) -> tuple[Model, ...]:
        """Every entry, in alphabetical order; the one of unknown models first."""
        return tuple(sorted(self._models, key=lambda model: model.prefix))

    def of_name(self, name: str) -> Model:
        """The model of the longest prefix that matches, case ignored, a provider before a slash left out."""
        wanted = name.casefold().rsplit("/", 1)[-1]
        return next((model for model in self._models if wanted.startswith(model.prefix.casefold())), UNKNOWN)
