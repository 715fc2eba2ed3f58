"""Every operation on every surface it should be on, with the same parameters, results, errors and capability.

The registry is walked; a surface that lacks an operation, or answers it otherwise than the library does, fails here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin
from uuid import UUID, uuid4

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]'")

from tests.surfaces.daemon import Running, as_operator, daemon
from tests.surfaces.faces import Outcome, World

from palazzo import AsyncMemory, Memory
from palazzo.errors import NotPermitted
from palazzo.operations.arguments import as_plain
from palazzo.operations.declared import Operation, Parameter, parameters_of
from palazzo.operations.methods import method_name
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.cli.commands import main
from palazzo.surfaces.cli.operations import BY_HAND, asks_here, command_path
from palazzo.surfaces.http.app import as_builtins
from palazzo.surfaces.mcp.protocol import brief, tool, tools
from palazzo.testing.palace import server_address
from palazzo.testing.postgres import NoServer
from palazzo.text.words.remembered import forget_texts

each = pytest.mark.parametrize("declared", OPERATIONS, ids=lambda o: o.name)
VOLATILE = frozenset({
    "latency_ms", "bytes", "token", "total", "memories", "revisions", "events", "last", "score", "line", "hash",
    "anchor", "recalls", "recall_ms_mean", "recall_ms_p99", "resident_mb", "log_mb", "free_gb", "alarm", "visits",
    "calls", "p50_ms", "p95_ms", "max_ms", "late", "pressure", "age_days",
    "node", "domain",  # of a map that is drawn anew whenever something is kept
})  # fmt: skip
TOWNS = {
    "library": "Norwick", "awaited": "Selwick", "http": "Borwick", "socket": "Halwick", "mcp": "Tarwick",
    "commands": "Marwick", "stray": "Corwick", "refused": "Dunwick", "faulty": "Fenwick",
}  # fmt: skip
"""What each surface is asked about: words alike in kind and length, so that nothing else differs."""
PHRASE: Final = "seven lanterns on the pier"
WATCHED: Final = "agent:watched"


def plain(value: Any) -> Any:
    """A value without what differs from call to call: ids, times, counters of the whole palace, the surface's name."""
    if isinstance(value, Mapping):
        if value.get("check") == "recall":  # how well recall went lately is of each process
            return "RECALL"
        return {
            name: "*"
            if name in ("words", "settings", "contexts") or (name in VOLATILE and isinstance(inner, int | float | str))
            else plain(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, str):
        value = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", value)
        value = re.sub(r"\d{4}-\d\d-\d\d[T ][0-9:.]+(Z|\+00:00)?", "AT", value)
        value = re.sub(r"\d{1,2} \w+ \d{4} at \d\d:\d\d UTC", "AT", value)
        value = re.sub(r"[\d.,]+ (?:bytes|KiB|[KMG]i?B)\b", "SIZE", value)
        return re.sub(r"\b[A-Za-z][a-z]{2}wick\b", "TOWN", value)
    return round(value, 3) if isinstance(value, float) else value


def of_type(hint: Any) -> Any:
    """Some value of a parameter's type."""
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple:
        return [of_type(get_args(hint)[0])]
    if is_dataclass(hint):
        return {p.name: of_type(p.type) for p in parameters_of(hint) if p.required}
    known = {datetime: "2026-01-01T00:00:00Z", bool: True, int: 1, float: 1.0}
    return known.get(hint, "walnut tree")


def placed(world: World, town: str, what: str) -> str:
    text = f"The {what} of {town} holds a brass key."
    made = world.memory.remember(text, place="work.parity", kind="fact", name=f"{what}-{town.lower()}")
    assert isinstance(made.id, UUID)
    return str(made.id)


def planned(world: World, town: str, *, applied: bool = False) -> dict[str, Any]:
    plan = world.memory.plan("grant", f"agent:plan-{town.lower()}", "read_public").plan
    if applied:
        world.memory.apply(str(plan), yes=True)
    return {"plan": str(plan), "yes": True}


def a_note(world: World, town: str) -> str:
    file = world.scratch / f"{town}.md"
    file.write_text(f"The weather vane of {town} is a copper heron.\n")
    return str(file)


def tagged(world: World, town: str) -> str:
    made = placed(world, town, "tagged")
    world.memory.tag(made, "checked")
    return made


def related(world: World, town: str) -> dict[str, Any]:
    ends = {"source": placed(world, town, "unrelated-from"), "target": placed(world, town, "unrelated-to")}
    world.memory.relate(**ends)
    return ends


def behind(world: World, town: str) -> dict[str, Any]:
    made = placed(world, town, "known")
    return {"source": made, "target": str(world.memory.why(made).origins[0].id)}


def bundled(world: World, town: str) -> str:
    held = placed(world, town, "held")
    return str(world.memory.bundle(f"box-{town.lower()}", "work.parity", add=[held]).bundle.id)


def asked(world: World, town: str) -> str:
    world.memory.grant("agent:lessee", "write")
    with Memory(world.running.folder, embedder="none", subject="agent:lessee") as agent:
        return str(agent.lease(f"Sweep {town}.").id)


def proposed(world: World, town: str) -> str:
    return str(world.memory.mature("claim", town, [placed(world, town, "proposed")]).id)


def a_thread(world: World, town: str) -> str:
    return str(world.memory.thread_open(f"pier-{town.lower()}").thread)


def planned_file(world: World, town: str, *, applied: bool = False) -> str:
    """A plan for an identity file that says something else by then, whatever others did to it."""
    (world.memory.engine.folder / "identity/AGENTS.md").unlink(missing_ok=True)
    plan = str(world.memory.identity_plan("AGENTS.md", f"The tower of {town} is white.\n").plan)
    if applied:
        world.memory.identity_apply(plan, yes=True)
    return plan


def a_vane(world: World) -> str:
    file = world.scratch / "vane.md"
    file.write_text("The weather vane is a copper heron.\n")
    return str(file)


def a_receipt(world: World) -> str:
    return str(world.memory.attach(a_vane(world)).receipt)


def a_restart(world: World, town: str) -> str:
    return str(world.memory.restart_begin(f"again-{town.lower()}", "Go on.").session)


def frictions(world: World) -> str:
    world.memory.checkpoint("winch", ran=[{"command": "make winch", "exit_code": 2}] * 3)
    return "winch"


def talked(world: World) -> str:
    world.memory.observe([{"content": "The gulls sit on the mast."}], thread="gulls", session="one")
    return "gulls"


def bundled_talk(world: World, *, approved: bool = False) -> str:
    made = str(world.memory.bundle_make(talked(world)).bundle)
    if approved:
        world.memory.bundle_approve(made, yes=True)
    return made


def a_session(world: World, town: str) -> str:
    return str(world.memory.session_start(f"pier-{town.lower()}", session=f"at-{town.lower()}").session)


def a_snapshot(world: World) -> dict[str, Any]:
    return {"snapshot": str(world.memory.snapshot_save(cwd=str(world.scratch)).id)}


PREPARED: Final[Mapping[str, Callable[[World, str], dict[str, Any]]]] = {
    "remember": lambda _, town: {"text": f"The bell tower of {town} leans to the west."},
    "vault_protect": lambda _, __: {"passphrase": PHRASE, "old": PHRASE},
    "vault_unlock": lambda _, __: {"passphrase": PHRASE},
    "dream": lambda _, __: {"dry_run": True},
    "register": lambda _, town: {"name": f"Gate of {town}", "place": "work.elsewhere", "text": f"The gate of {town}."},
    "apply": planned,
    "rollback": lambda world, town: planned(world, town, applied=True),
    "backup": lambda world, town: {"target": str(world.scratch / f"{town}.db")},
    "export": lambda world, town: {"to": str(world.scratch / f"{town}.jsonl"), "format": "bundle"},
    "import": lambda world, town: {"file": a_note(world, town), "format": "notes"},
    "audit_list": lambda _, __: {"subject": WATCHED},
    "setting_put": lambda _, __: {"name": "backup_keep", "value": "4"},
    "origin_add": lambda world, town: {"of": placed(world, town, "found"), "kind": "tool", "label": "lookup"},
    "origin_link": lambda world, town: behind(world, town),
    "trail": lambda _, __: {"subject": WATCHED},  # what another process read in the last minute is not written yet
    "untag": lambda world, town: {"memory": tagged(world, town), "tag": "checked"},
    "unrelate": lambda world, town: related(world, town),
    "members": lambda world, town: {"memory": bundled(world, town)},
    "bundle": lambda _, town: {"name": f"case-{town.lower()}", "place": "work.parity"},
    "tags": lambda world, town: {"memory": tagged(world, town)},
    "space_retire": lambda _, __: {"name": "nobody"},
    "draw_claims": lambda world, town: {"memory": placed(world, town, "handed")},
    "lease_end": lambda world, town: {"lease": str(world.memory.lease(f"Sweep {town}.").id)},
    "lease_decide": lambda world, town: {"lease": asked(world, town), "decision": "grant"},
    "mature": lambda world, town: {"lane": "claim", "what": town, "evidence": [placed(world, town, "mature")]},
    "mature_decide": lambda world, town: {"candidate": proposed(world, town), "decision": "accept"},
    "chat_add": lambda _, town: {"session": f"chat-{town.lower()}", "text": f"The bell of {town} is cracked."},
    **dict.fromkeys(("chat_get", "chat_clear"), lambda _, town: {"session": f"silent-{town.lower()}"}),
    "thread_open": lambda _, town: {"thread": f"quay-{town.lower()}"},
    "thread_close": lambda world, town: {"thread": a_thread(world, town)},
    "session_start": lambda _, town: {"thread": f"begun-{town.lower()}", "session": "first"},
    "session_end": lambda world, town: {"session": a_session(world, town)},
    **dict.fromkeys(
        ("sessions", "handoff_read", "bridge", "warm_start"), lambda world, town: {"thread": a_thread(world, town)}
    ),
    "handoff_write": lambda _, town: {"thread": f"handed-{town.lower()}", "note": f"The crane of {town} is stuck."},
    "handoff_consume": lambda world, town: {"thread": a_thread(world, town), "session": "nobody"},
    "turn_start": lambda world, town: {"thread": a_thread(world, town), "message": "Where is the crane?"},
    "turn_end": lambda world, town: {
        "thread": a_thread(world, town),
        "turns": [{"content": f"The pump of {town} is loud."}],
    },
    "identity_plan": lambda _, town: {"file": "TOOLS.md", "text": f"The crane of {town} is blue.\n"},
    "identity_apply": lambda world, town: {"plan": planned_file(world, town), "yes": True},
    "identity_rollback": lambda world, town: {"plan": planned_file(world, town, applied=True), "yes": True},
    "attach": lambda world, _: {"name": a_vane(world)},
    "receipt_check": lambda world, _: {"receipt": a_receipt(world)},
    "observe_attachment": lambda world, _: {"receipt": a_receipt(world), "text": "A copper heron."},
    "capture_task": lambda _, town: {"task": "sweep", "result": f"The drain of {town} is blocked by leaves."},
    "capture_flow_node": lambda _, town: {
        "flow": "crates",
        "node": "weigh",
        "output": f"The crates of {town} weigh forty tonnes when they are wet and full.",
    },
    "capture_flow": lambda _, town: {"flow": "crates", "failed": town, "nodes": ["weigh", "load"]},
    "capture_round": lambda _, town: {"facts": f"The ramp of {town} is too steep for carts."},
    "capture_research": lambda _, town: {
        "query": town,
        "findings": [{"text": f"The fog horn of {town} sounds twice.", "confidence": 0.7}],
    },
    "store_execution": lambda _, town: {"goal": f"clear {town}", "steps": ["sweep", "wash"], "outcome": "clean"},
    "capture_skill": lambda _, town: {"skill": "knots", "text": f"The knot of {town} slips."},
    "restart_begin": lambda _, town: {"session": f"key-{town.lower()}", "continuation": "Go on."},
    "restart_step": lambda world, town: {"session": a_restart(world, town), "step": "reach"},
    "restart_state": lambda world, town: {"session": a_restart(world, town)},
    "proposals": lambda world, _: {"thread": frictions(world)},
    "bundle_make": lambda world, _: {"thread": talked(world)},
    "bundle_approve": lambda world, _: {"bundle": bundled_talk(world), "yes": True},
    "bundle_export": lambda world, town: {
        "bundle": bundled_talk(world, approved=True),
        "to": str(world.scratch / f"{town}-talk.jsonl"),
    },
    "snapshot_save": lambda world, _: {"cwd": str(world.scratch)},
    **dict.fromkeys(
        ("snapshot_diff", "snapshot_restore"), lambda world, _: {**a_snapshot(world), "cwd": str(world.scratch)}
    ),
    **dict.fromkeys(("snapshot_show", "snapshot_share", "snapshot_drop"), lambda world, _: a_snapshot(world)),
    "snapshot_list": lambda _, __: {"place": "work.nowhere"},
    "checkpoint": lambda _, town: {"thread": f"noted-{town.lower()}", "branch": "main"},
    "compacted": lambda _, town: {"thread": f"packed-{town.lower()}"},
    **dict.fromkeys(("run", "cancel", "undo"), lambda _, __: {"job": "sweep"}),
}
"""Operations that need something to be there first, or a file of their own."""


def example(world: World, declared: Operation, face: str) -> dict[str, Any]:
    """Arguments for an operation: what was prepared for it, or something fitting for all that must be given."""
    town = TOWNS[face]
    if declared.name in PREPARED:
        return PREPARED[declared.name](world, town)

    def fitting(parameter: Parameter) -> Any:
        if parameter.name in ("memory", "source", "target"):
            return placed(world, town, f"{declared.name.replace('_', '')}-{parameter.name}")
        return {
            "text": f"The gate of {town} is painted green.", "notes": [f"The roof of {town} is made of slate."],
            "turns": [f"The yard of {town} has a walnut tree."], "place": "work.elsewhere", "tag": "checked",
            "subject": f"agent:{town.lower()}",
        }.get(parameter.name) or of_type(parameter.type)  # fmt: skip

    return {p.name: fitting(p) for p in declared.parameters if p.required}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --every-engine (`make postgres`) every surface is asked over a server, too."""
    if "running" in metafunc.fixturenames and metafunc.config.getoption("--every-engine"):
        metafunc.parametrize("running", ["file", "server"], indirect=True, scope="module")


def on_a_server(scratch: Path, patch: pytest.MonkeyPatch) -> Any:
    """The address of a new palace, which stands for a folder wherever one is named."""
    try:
        found = f"{server_address()}?palace=parity-{uuid4().hex}"
    except NoServer as missing:
        pytest.skip(str(missing))
    patch.setenv("XDG_DATA_HOME", str(scratch))
    Memory(found, embedder="none").close()
    return found


@pytest.fixture(scope="module")
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("parity") / "palace"
    with pytest.MonkeyPatch.context() as patch:
        if getattr(request, "param", "file") == "server":
            folder = on_a_server(folder.parent, patch)
        with daemon(folder, "--toolset", "full", PALAZZO_HEARTBEAT_S="3600") as found:  # no job runs in between
            yield found


@pytest.fixture(scope="module")
def world(running: Running, operator_token: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with Memory(running.folder, embedder="none") as memory:
        memory.vault_protect(PHRASE)
        with Memory(running.folder, embedder="none", subject=WATCHED) as denied, pytest.raises(NotPermitted):
            denied.status()
        made = World(running, memory, tmp_path_factory.mktemp("files"), {"operator": operator_token})
        yield made
        made.close()


@pytest.fixture
def undone(world: World) -> Iterator[None]:
    """Leaves capture running and the vault closed, whatever the operation under test did to them."""
    yield
    world.memory.resume()
    world.memory.vault_lock()  # each process has its own
    with world.running.by_socket() as client:
        client.call("vault_lock", {})


@each
def test_every_surface_shows_the_same_parameters(declared: Operation) -> None:
    names = [p.name for p in declared.parameters]
    required = [p.name for p in declared.parameters if p.required]
    for face in (Memory, AsyncMemory):
        assert list(inspect.signature(getattr(face, method_name(declared))).parameters) == ["self", *names]
    document = as_builtins()["paths"][f"/v1/{declared.name}"]["post"]
    shape = document["requestBody"]["content"]["application/json"]["schema"]
    assert (list(shape["properties"]), shape["required"]) == (names, required)
    assert ("parameters" in document) is declared.writes
    assert (declared in tools("full")) is bool(declared.toolset)
    if declared.toolset:
        shown = tool(declared).input_schema
        assert list(shown["properties"]) == [p.name for p in declared.parameters if not p.of_scope]
        assert shown["required"] == required
    if declared.name not in BY_HAND:
        group: Any = main
        for word in command_path(declared):
            group = group.commands[word]
        assert [p.name for p in group.params] == names + (["yes"] if asks_here(declared) else [])


@each
@pytest.mark.usefixtures("undone")
def test_every_surface_gives_the_same_result(declared: Operation, world: World) -> None:
    if declared.name == "recheck":
        while world.memory.recheck().audited:  # what one surface looked at is not due when the next one asks
            pass
    outcomes: dict[str, Outcome] = {}
    with world.faces(declared, "operator") as faces:
        library = faces.pop("library")
        if declared.name in ("recall", "context", "reason"):  # what is read counts once a day, and trust follows
            library(declared.name, example(world, declared, "library"))
            world.memory.engine.uses.flush()
            forget_texts(world.memory.engine.store)
        if of_mind := declared.name.startswith("mind"):  # what one surface left in mind the next one finds there
            library("mind_clear", {})
        own = library(declared.name, example(world, declared, "library"))
        for face, ask in faces.items():
            if of_mind:  # a command asks the daemon, as the socket does
                (faces["socket"] if face == "commands" else ask)("mind_clear", {})
            outcomes[face] = plain(ask(declared.name, example(world, declared, face)))
    whole, short = own, own
    if own[0] == "ok":
        whole, short = ("ok", as_plain(own[1])), ("ok", brief(own[1]))
    if declared.name == "observe":  # the command takes a stream of any length, so it tells counts
        assert outcomes.pop("commands") == ["ok", counted(own[1])]
    for face, outcome in outcomes.items():
        assert outcome == plain(short if face == "mcp" else whole), face


def counted(kept: Any) -> dict[str, Any]:
    """What became of the stretches of turns, as numbers."""
    fates = [fate.outcome for account in kept.accounts for fate in account.fates]
    totals = {outcome: fates.count(outcome) for outcome in fates}
    return {**totals, "turns": len(kept.accounts), "degraded": list(kept.degraded)}


@each
def test_every_surface_refuses_a_stray_parameter_alike(declared: Operation, world: World) -> None:
    given = {**example(world, declared, "stray"), "colour": "red"}
    with world.faces(declared, "operator") as faces:
        outcomes = {face: ask(declared.name, given) for face, ask in faces.items()}
    if declared.name != "observe":  # its turns come on standard input, where nothing strays
        code, message = outcomes.pop("commands")[1:3]
        assert (code, "colour" in message) == ("invalid_input", True)
    outcomes.pop("commands", None)
    assert {outcome[:3] for outcome in outcomes.values()} == {
        ("error", "invalid_input", f"{declared.name} has no parameter 'colour'")
    }


def fault_in(declared: Operation) -> dict[str, Any]:
    """Arguments of which one is wrong: out of range, no choice, no time, empty where it must say something, no text."""
    for parameter in declared.parameters:
        if parameter.high is not None:
            return {parameter.name: parameter.high + 1}
        if get_origin(parameter.type) is Literal:
            return {parameter.name: "mauve"}
        if parameter.type == datetime | None:
            return {parameter.name: "the day before"}
        if parameter.says_something:
            return {parameter.name: " "}
        if get_origin(parameter.type) is tuple:
            return {parameter.name: [7]}
    return {}


@each
def test_every_surface_tells_the_same_fault_of_a_wrong_value(declared: Operation, world: World) -> None:
    wrong = fault_in(declared)
    if not wrong:
        assert not any(p.required or p.low is not None for p in declared.parameters)
        return
    given = {**example(world, declared, "faulty"), **wrong}
    with world.faces(declared, "operator") as faces:
        outcomes = {face: ask(declared.name, given) for face, ask in faces.items()}
    assert {outcome[:2] for outcome in outcomes.values()} == {("error", "invalid_input")}, outcomes
    # A choice or a time is read by the command line's own parser, which tells it in its own words.
    outcomes.pop("commands")
    assert len({outcome[2:] for outcome in outcomes.values()}) == 1, outcomes


@each
def test_every_surface_refuses_a_subject_without_grants_alike(declared: Operation, world: World) -> None:
    given = example(world, declared, "refused")
    subject = f"agent:no-{declared.name}"  # one for each: a subject that asks too often is told that instead
    with world.faces(declared, subject) as faces:
        outcomes = {face: ask(declared.name, given)[:3] for face, ask in faces.items()}
    assert {outcome[:2] for outcome in outcomes.values()} == {("error", "not_permitted")}, outcomes
    assert len(set(outcomes.values())) == 1, outcomes


def test_familiar_names_are_the_librarys_alone(running: Running, operator_token: str) -> None:
    assert running.post("search", {"cue": "x"}, operator_token)[0] == 404
    assert as_operator(running.folder, "search", cue="x") is not None
