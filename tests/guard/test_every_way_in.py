"""One gate: whatever way words come in, what is guarded is in no raw file, and a secret is in none at all."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from msgspec.structs import replace

from palazzo.belief import products
from palazzo.belief.logic import literal_of
from palazzo.belief.operations import Assertion, Operations
from palazzo.bootstrap import create_engine, decrypt_palace, encrypt_palace, load_settings, open_engine
from palazzo.engine import Engine
from palazzo.errors import PalazzoError, Refused
from palazzo.model.address import Place
from palazzo.model.capability import View
from palazzo.model.change import AddRevision, Change, PlaceMemory
from palazzo.model.ids import new_id
from palazzo.model.memory import Atom, RevisionDraft
from palazzo.operations.call import TOLD_ONCE, call, call_once
from palazzo.operations.caller import Caller
from palazzo.operations.declared import Operation, Parameter
from palazzo.operations.registry import OPERATIONS
from palazzo.store.sqlite import care
from palazzo.testing.clock import FixedClock
from palazzo.testing.palace import place_memory
from palazzo.text.safety import gate

from .conftest import files_with, keyed_engine

PERSONAL = "Ismene Okonkwo answers mail at ismene.okonkwo@fenwater.example."
SECRET = "The password of the pump house is Vq7-hTr4mLw9x."
TRACES = {"personal": ("fenwater.example", "fenwater-example"), "secret": ("Vq7-hTr4mLw9x", "vq7-htr4mlw9x")}
PLAIN = "The pump house has a green door."
NAMED = frozenset({
    "memory", "source", "target", "other", "claim", "token", "plan", "user", "passphrase", "old", "subject", "to",
    "file", "memories", "made_from",
})  # fmt: skip
"""Parameters that name what is there: they store nothing."""
WHO = frozenset({"speaker", "thread", "session", "place", "kind", "owner"})
"""Who says it, whose it is and where is told in clear on purpose; only secrets matter in it."""


def values_of(kind: Any, words: str) -> Iterator[Any]:
    """The ways in which words can stand in a parameter of this type."""
    arguments = get_args(kind)
    if kind is str:
        yield words
    elif dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        needed = {f.name: PLAIN for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING}
        needed |= {"kind": "exchange", "reference": "handoff-7"} if "reference" in hints else {}
        for f in dataclasses.fields(kind):
            if f.name not in (NAMED if words == SECRET else NAMED | WHO) | {"role", "conflict"}:
                yield from ({**needed, f.name: value} for value in values_of(hints[f.name], words))
    elif get_origin(kind) is dict:
        yield {"note": words}
        yield {words: "note"}
        yield {"deep": [{"note": words}]}
    elif get_origin(kind) is tuple:
        yield from ([value] for value in values_of(arguments[0], words))
    elif get_origin(kind) is not None and any(isinstance(one, type) or get_args(one) for one in arguments):
        for one in arguments:
            if one is not type(None):
                yield from values_of(one, words)


def ways(operation: Operation, known: dict[str, Any], words: str) -> Iterator[dict[str, Any]]:
    """Arguments with the words in each parameter that can hold any."""
    needed = {p.name: _plain(p, known) for p in operation.parameters if p.required}
    for parameter in operation.parameters:
        if parameter.name in (NAMED if words == SECRET else NAMED | WHO) or (parameter.of_scope and words != SECRET):
            continue
        for value in values_of(parameter.type, words):
            given = {**needed, parameter.name: value}
            yield given
            if operation.name == "revise" and parameter.name in ("value", "slot", "about"):
                yield {**needed, "slot": "mailbox", "value": "green", parameter.name: value}


def _plain(parameter: Parameter, known: dict[str, Any]) -> Any:
    if parameter.name in known:
        return known[parameter.name]
    if parameter.type is str:
        return PLAIN
    choices = [one for one in get_args(parameter.type) if isinstance(one, str)]
    return choices[0] if choices else next(values_of(parameter.type, PLAIN), 1)


WRITING = [operation for operation in OPERATIONS if operation.writes]


@pytest.mark.parametrize("words", [PERSONAL, SECRET], ids=["personal", "secret"])
@pytest.mark.parametrize("operation", WRITING, ids=lambda operation: operation.name)
def test_no_operation_leaves_guarded_words_in_a_raw_file(
    operation: Operation, words: str, sealed: Engine, folder: Path, clock: FixedClock
) -> None:
    memory = call(sealed, Caller(), "remember", {"text": PLAIN, "verbatim": True}).id
    source = {"kind": "exchange", "reference": str(memory), "excerpt": PLAIN}
    claim = call(sealed, Caller(), "propose", {"text": PLAIN, "sources": [source]}).id
    known = {
        **dict.fromkeys(("memory", "source", "target"), str(memory)), "claim": str(claim), "place": "work.desk",
        "sources": [source], "revision": 1, "notes": [PLAIN], "turns": [PLAIN],
        "counts": [{"family": "a", "dimension": "b"}],
    }  # fmt: skip
    tried = 0
    for given in ways(operation, known, words):
        clock.advance(minutes=2)
        tried += 1
        once = operation.name not in TOLD_ONCE and not any(p.name == "passphrase" for p in operation.parameters)
        with suppress(PalazzoError):  # refused is as good as sealed
            call_once(sealed, Caller(), operation.name, given, key=f"try-{tried}" if once else "")
    assert tried or all(p.name in NAMED | WHO or p.of_scope or p.type is not str for p in operation.parameters)
    found = TRACES["personal" if words == PERSONAL else "secret"]
    assert files_with(folder, *found) == [], operation.name
    assert next(f for f in care.doctor(sealed.store) if f.check == "encryption").level == "good"
    assert care.verify(sealed.store) == []


@pytest.mark.parametrize("words", [PERSONAL, SECRET], ids=["personal", "secret"])
def test_an_accepted_claim_is_as_guarded_as_its_words(words: str, sealed: Engine, folder: Path) -> None:
    def ask(name: str, /, **given: Any) -> Any:
        return call(sealed, Caller(), name, given)

    ask("claim_mode", mode="enforce")
    try:
        claim = ask("propose", text=words, sources=[{"kind": "handoff", "reference": "note-3", "excerpt": words}])
    except Refused:
        assert words == SECRET
    else:
        ask("decide", claim=str(claim.id), decision="accept", text=words, source_state="exact_match")
        made = ask("claims", status="verified").claims[0].memory
        assert ask("get", memory=str(made)).text == words
        ask("retract", claim=str(claim.id), text=words, source_state="exact_match")
    assert files_with(folder, *TRACES["personal"], *TRACES["secret"]) == []
    assert care.verify(sealed.store) == []


def test_a_claim_drawn_from_a_guarded_memory_is_guarded_whatever_its_own_words(sealed: Engine, folder: Path) -> None:
    memory = call(sealed, Caller(), "remember", {"text": PERSONAL, "verbatim": True}).id
    text = "Somebody in the mill answers letters quickly."
    source = {"kind": "exchange", "reference": str(memory), "excerpt": "letters at the mill"}
    call(sealed, Caller(), "propose", {"text": text, "sources": [source]})
    assert files_with(folder, "answers letters quickly", "letters at the mill") == []


@pytest.mark.parametrize("words", [PERSONAL, SECRET], ids=["personal", "secret"])
def test_files_that_are_imported_pass_the_same_gate(
    words: str, sealed: Engine, tmp_path: Path, clock: FixedClock, folder: Path
) -> None:
    with keyed_engine(tmp_path / "other", clock) as other:
        call(other, Caller(), "remember", {"text": PERSONAL, "verbatim": True, "metadata": {"mail": words}})
        call(other, Caller(), "register", {"name": "map", "place": "work", "text": PLAIN, "files": []})
        call(other, Caller(), "export", {"to": str(tmp_path / "all.jsonl")})
    bundle = (tmp_path / "all.jsonl").read_text()
    forged = bundle.replace(PLAIN, words).replace('"clear"', '"clear"').replace('"sensitive"', '"clear"')
    (tmp_path / "forged.jsonl").write_text(forged)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.md").write_text(f"# {words}\n\n{words}\n")
    mem0 = [{"id": "1", "memory": words, "metadata": {"note": words}, "name": words}]
    (tmp_path / "mem0.json").write_text(json.dumps({"results": mem0}))
    for file in ("forged.jsonl", "notes", "mem0.json"):
        clock.advance(minutes=2)
        with suppress(PalazzoError):
            call(sealed, Caller(), "import", {"file": str(tmp_path / file)})
    found = TRACES["personal" if words == PERSONAL else "secret"]
    assert files_with(folder, *found) == []
    assert care.verify(sealed.store) == []


@pytest.mark.parametrize("words", [PERSONAL, SECRET], ids=["personal", "secret"])
def test_what_code_writes_without_an_operation_passes_the_gate_too(words: str, sealed: Engine, folder: Path) -> None:
    store = sealed.store
    beliefs = Operations(store, View())
    beliefs.expand(Assertion(atoms=(Atom("mill", "door", "green"),), text=words))
    beliefs.revise(Assertion(atoms=(Atom("mill", "mail", words, functional=True),)))
    beliefs.contract(literal_of(Atom("mill", "mail", words)))
    made = new_id(store.clock.now_us())
    plain = RevisionDraft(text=PLAIN)
    store.commit([PlaceMemory(memory_id=made, place=Place.parse("work"), name="", kind="fact", content=plain)])
    store.commit([AddRevision(memory_id=made, content=RevisionDraft(text=words, summary=words))])
    for named in (words, "mill"):
        try:
            products.bundle(store, View(), products.Bundle(place=Place.parse("work"), name=named, add=(made,)))
        except Refused:
            assert named == words
    found = TRACES["personal" if words == PERSONAL else "secret"]
    assert files_with(folder, *found) == []
    assert care.verify(store) == []


def test_the_gate_knows_every_change_there_is_and_the_store_takes_nothing_else() -> None:
    assert set(gate.GATE) == set(get_args(Change))
    source = Path(gate.__file__).parents[1]
    makers = [path for path in source.rglob("*.py") if "Gated(" in path.read_text()]
    assert makers == [Path(gate.__file__)]


def test_what_a_memory_said_before_it_became_guarded_is_sealed_with_it(
    sealed: Engine, folder: Path, clock: FixedClock
) -> None:
    first = "The miller keeps a crimson ledger."
    made = call(sealed, Caller(), "remember", {"text": first, "name": "mill", "place": "work", "verbatim": True}).id
    assert files_with(folder, "crimson ledger") != []
    for text in (PERSONAL, "Ismene Okonkwo's passport number is X7654321."):
        clock.advance(minutes=2)
        call(sealed, Caller(), "update", {"memory": str(made), "text": text})
        assert care.verify(sealed.store) == []
    sealed.store.database.truncate_log()
    assert files_with(folder, "crimson ledger", "X7654321", "fenwater.example") == []
    texts = [one.text for one in call(sealed, Caller(), "history", {"memory": str(made)}).revisions]
    assert texts[:2] == [first, PERSONAL]


def test_without_a_key_every_way_in_says_that_it_keeps_guarded_words_in_clear(engine: Engine) -> None:
    def ask(name: str, /, **given: Any) -> Any:
        return call(engine, Caller(), name, given)

    source = {"kind": "handoff", "reference": "note-3"}
    for result in (
        ask("propose", text=PERSONAL, sources=[source]),
        ask("register", name="card", place="work", text=PERSONAL),
        ask("revise", text=PERSONAL, slot="mail", value="ismene.okonkwo@fenwater.example"),
        ask("remember", text="The mill has a door.", metadata={"mail": "ismene.okonkwo@fenwater.example"}),
    ):
        assert [note.split(":")[0] for note in result.degraded] == ["encryption"]
    finding = next(f for f in care.doctor(engine.store) if f.check == "encryption")
    assert (finding.level, finding.detail.split()[0]) == ("warning", "4")


def test_the_doctor_tells_of_a_guarded_text_that_is_in_clear_in_a_palace_with_a_key(sealed: Engine) -> None:
    call(sealed, Caller(), "propose", {"text": PERSONAL, "sources": [{"kind": "handoff", "reference": "note-3"}]})
    sealed.store.database.write(lambda connection: connection.execute("UPDATE claim SET text = 'in clear'"))  # type: ignore[arg-type,return-value]
    assert next(f for f in care.doctor(sealed.store) if f.check == "encryption").level == "bad"


@pytest.mark.parametrize("whole", [True, False], ids=["whole file", "fields only"])
def test_claims_products_and_answers_of_a_plain_palace_are_sealed_and_opened_with_it(
    whole: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "p"
    chosen = load_settings({"palace": str(folder), "embedder": "none", "passphrase": "a long walk by the lake"})

    def ask(engine: Engine, name: str, /, **given: Any) -> Any:
        return call_once(engine, Caller(), name, given, key=f"key-{name}")[0]

    source = {"kind": "url", "reference": "https://fenwater.example/ismene", "excerpt": PERSONAL}
    proposal = {"text": PERSONAL, "sources": [source]}
    with create_engine(chosen) as engine:
        claim = ask(engine, "propose", **proposal)
        made = ask(engine, "register", name="card", place="work", text=PERSONAL, files=["https://fenwater.example/x"])
    assert files_with(folder, *TRACES["personal"]) != []
    encrypt_palace(chosen, fields=not whole)
    assert files_with(folder, *TRACES["personal"]) == []
    with open_engine(chosen) as engine:
        assert next(f for f in care.doctor(engine.store) if f.check == "encryption").level == "good"
        assert ask(engine, "propose", **proposal) == claim
        assert call(engine, Caller(), "preview", {"claim": str(claim.id)}).claim.sources == claim.sources
        found = call(engine, Caller(), "product", {"name": "card", "place": "work", "tag": "current"})
        assert (found.memory.text, found.files[0].uri) == (PERSONAL, made.files[0].uri)
    decrypt_palace(chosen)
    with open_engine(chosen) as engine:
        assert call(engine, Caller(), "claims", {}).claims[0].text == PERSONAL


def test_a_guarded_claim_goes_with_the_memory_it_was_drawn_from(sealed: Engine) -> None:
    memory = call(sealed, Caller(), "remember", {"text": PERSONAL, "verbatim": True}).id
    source = {"kind": "exchange", "reference": str(memory), "excerpt": PERSONAL}
    call(sealed, Caller(), "propose", {"text": PERSONAL, "sources": [source]})
    call(sealed, Caller(), "burn", {"memories": [str(memory)], "yes": True})
    assert call(sealed, Caller(), "claims", {}).claims == ()


def test_a_name_that_ends_in_the_mark_of_its_memory_is_looked_at_before_it() -> None:
    made = place_memory("The mill has nine windows.")
    assert gate.passed([made], keyed=False).changes == (made,)
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    with pytest.raises(Refused):
        gate.passed([replace(made, name=f"{secret}-{made.memory_id.hex[-8:]}")], keyed=False)
