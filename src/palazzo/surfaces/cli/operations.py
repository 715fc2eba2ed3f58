"""Commands made from the registry: one for each operation, with its parameters as arguments and options.

Owns the way from what is typed to arguments; what a result looks like is in tables. Loads nothing heavy until a
command runs. Also owns the front page (commands by what one wants to do, and the examples in the help of each) and two
commands about this machine: `bench`, which measures this palace with words of its own memories and writes nothing, and
`plugins`. Invariants: a command has exactly the parameters of its operation and stands in exactly one section.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

import click
from msgspec.structs import asdict

from palazzo.operations.declared import Operation, Parameter
from palazzo.operations.registry import OPERATIONS
from palazzo.surfaces.cli.typed import Items, Moment, Object
from palazzo.surfaces.daemon import command as serve_command
from palazzo.surfaces.hooks import command as hook_command
from palazzo.surfaces.mcp import command as mcp_command
from palazzo.surfaces.shell import command as shell_command
from palazzo.surfaces.web import command as open_command

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

BY_HAND = frozenset({"observe", "status", "doctor", "verify"})
"""Commands of these names are written by hand: they show progress, stream a file or exit with the finding."""
GROUPS = {
    "token": "Tokens that say who a connection is.",
    "audit": "The audit trail.",
    "vault": "The vault.",
    "origin": "What memories came of.",
    "thread": "Work that goes on over sessions.",
    "session": "One sitting at a thread.",
    "identity": "Who the agent is, as files.",
    "capture": "What work leaves behind, and what is captured on this machine.",
    "snapshot": "The workspace as it stood.",
    "restart": "A restart that knows when to stop.",
    "turn": "One turn of a thread, as a client's hooks tell it.",
    "handoff": "What one session hands on to the next.",
}
"""First words of names that make a group of commands: token_create is `token create`."""
EXIT_BY_RESULT: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("purge", "burn", "forget_user"), lambda result: bool(result.next)),
    "audit_verify": lambda result: not result.clean,
    "health": lambda result: result.level == "bad",
    "run": lambda result: any(one.state in ("failed", "busy") for one in result),
}
"""Commands that end with 1 while something is left to do or was found: a script must not take them for done."""
HERE = frozenset({"snapshot_save", "snapshot_diff", "snapshot_restore"})
"""Commands about the folder they were typed in, which a daemon does not know."""
FROM_STDIN = frozenset({"text", "cue", "message", "question", "passphrase"})


def command_path(operation: Operation) -> tuple[str, ...]:
    """The operation's name as a command: its words joined by dashes, below the group its first word names."""
    first, _, rest = operation.name.partition("_")
    return (first, rest.replace("_", "-")) if first in GROUPS and rest else (operation.name.replace("_", "-"),)


def _plain_type(hint: Any) -> tuple[Any, bool]:
    """A type without its None, and whether None was allowed."""
    inner = get_args(hint)
    if NoneType not in inner:
        return hint, False
    (only,) = (part for part in inner if part is not NoneType)
    return only, True


def _click_type(hint: Any) -> Any:
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    if get_origin(hint) is tuple:
        return _click_type(get_args(hint)[0])
    if get_origin(hint) is dict:
        return Object()
    return Moment() if hint is datetime else hint


def _argument(parameter: Parameter) -> click.Argument:
    several = get_origin(parameter.type) is tuple
    metavar = "FILE" if several else parameter.name.upper()
    kind = parameter.type if parameter.type in (int, float) else str
    return click.Argument([parameter.name], type=Items() if several else kind, metavar=metavar)


def _option(parameter: Parameter) -> click.Option:
    hint, maybe = _plain_type(parameter.type)
    several = get_origin(hint) is tuple
    written = (_one(parameter.name) if several else parameter.name).replace("_", "-")
    shown = f"--{written}"
    if hint is bool:
        shown = f"--{written}/--no-{written}" if maybe or parameter.default else shown
        return click.Option([shown, parameter.name], is_flag=True, default=parameter.default, help=parameter.help)
    if several and isinstance(get_args(hint)[0], UnionType):  # texts or objects: from a file, as where required
        return click.Option([shown, parameter.name], type=Items(), metavar="FILE", help=parameter.help)
    kind = _click_type(hint)
    metavar = None if isinstance(kind, click.Choice) else _metavar(parameter, hint)
    return click.Option(
        [shown, parameter.name], type=kind, multiple=several, default=None, metavar=metavar,
        help=parameter.help + (" May be repeated." if several else _default(parameter)),
    )  # fmt: skip


def _one(several: str) -> str:
    """The name of one of what a parameter takes several of: an option is given once for each."""
    return f"{several[:-3]}y" if several.endswith("ies") else several.removesuffix("s")


def _metavar(parameter: Parameter, hint: Any) -> str:
    if hint is datetime:
        return "TIME"
    if get_origin(hint) is dict:
        return "JSON"
    name = _one(parameter.name) if get_origin(hint) is tuple else parameter.name
    return "N" if hint in (int, float) else name.removesuffix("_id").upper()


def _default(parameter: Parameter) -> str:
    return f" [default: {parameter.default}]" if parameter.default not in (None, "") else ""


def _choices(parameter: Parameter) -> str:
    """What an argument can be, unless its own words name all of it."""
    among = get_args(parameter.type) if get_origin(parameter.type) is Literal else ()
    return "" if all(one in parameter.help for one in among) else f" One of {', '.join(among)}."


def _given(operation: Operation, typed: dict[str, Any]) -> dict[str, Any]:
    """What was typed, without what was left out; `-` as a text reads standard input."""
    given = {name: value for name, value in typed.items() if value is not None and value != ()}
    if operation.name in HERE or given.get("snapshot") is True:
        given.setdefault("cwd", str(Path.cwd()))
    for name in FROM_STDIN & {p.name for p in operation.parameters if p.required} & set(given):
        if given[name] == "-":
            given[name] = sys.stdin.read().rstrip("\n") if name == "passphrase" else sys.stdin.read()
    return given


def asks_here(operation: Operation) -> bool:
    """Whether the command has to ask, since what the operation takes away is gone and it has no `yes` of its own."""
    return operation.for_good and all(p.name != "yes" for p in operation.parameters)


def _asked_once(session: Session) -> bool:
    """Whether somebody who sits there says yes to what cannot be undone."""
    return not session.as_json and sys.stdin.isatty() and click.confirm("Erase it for good?", default=False)


def _agreed(session: Session, operation: Operation, given: dict[str, Any]) -> bool:
    """Whether somebody says yes to what has no `yes` of its own, once they were told what it takes away for good."""
    from palazzo.operations.arguments import as_plain
    from palazzo.operations.erase.spec import SAY_YES
    from palazzo.surfaces.cli.tables import render as drawn

    if operation.name == "purge" and given.keys() == {"memory"}:  # a burn of the same says what would go
        told = session.call("burn", {"memories": (given["memory"],)})
        session.show(as_plain(told), lambda _: drawn(told))
    else:
        session.show({"done": False, "next": SAY_YES}, lambda _: click.echo(f"{operation.people}\n{SAY_YES}"))
    return _asked_once(session)


def _callback(operation: Operation) -> Callable[..., None]:
    def run(session: Session, /, **typed: Any) -> None:  # an operation may have a parameter of that name
        from palazzo.operations.arguments import as_plain
        from palazzo.surfaces.cli.session import WATCHED, run_watched

        def render(shown: Any) -> None:
            from palazzo.surfaces.cli.tables import render as drawn  # what only a terminal needs

            drawn(shown)

        given = _given(operation, typed)
        if asks_here(operation) and not given.pop("yes") and not _agreed(session, operation, given):
            sys.exit(1)
        if operation.name in WATCHED:
            with session.engine() as engine:
                result = run_watched(session, engine, operation.name, given)
        else:
            with session.calls() as call:
                result = call(operation.name, given)
                if not session.as_json:
                    from palazzo.surfaces.cli.kept import looked_up  # what only people need

                    result = looked_up(result, call, given)
        session.show(as_plain(result), lambda _: render(result))
        if operation.for_good and given.get("yes") is False and result.memories and _asked_once(session):
            result = session.call(operation.name, {**given, "yes": True})
            session.show(as_plain(result), lambda _: render(result))
        if operation.name in EXIT_BY_RESULT and EXIT_BY_RESULT[operation.name](result):
            sys.exit(1)

    return click.pass_obj(run)


class OperationCommand(click.Command):
    """The command of an operation. Its parameters and its help are made when somebody looks at them: a command that is
    run needs only its own."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        super().__init__(command_path(operation)[-1], callback=_callback(operation), short_help=operation.people)
        del self.params, self.help

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra"):
                raise
            named = ", ".join([one.opts[0] for one in self.params if isinstance(one, click.Option)][:6])
            raise click.UsageError(f"{error.message}: put it into quotes, or after one of {named}", ctx) from None

    def __getattr__(self, name: str) -> Any:
        if name not in ("params", "help"):
            raise AttributeError(name)
        parameters = self._operation.parameters
        made = [_argument(p) if p.required else _option(p) for p in parameters]
        names = [p for p in parameters if p.required]
        told = "".join(f" {p.metavar}: {q.help}{_choices(q)}" for p, q in zip(made, names, strict=False))
        stdin = " A text of - is read from standard input." if FROM_STDIN & {p.name for p in names} else ""
        if asks_here(self._operation):
            made.append(click.Option(["--yes"], is_flag=True, help="Do it: it cannot be undone."))
        self.params = list(made)
        self.help = f"{self._operation.people}\n\n{told.strip()}{stdin}".strip()
        return self.__dict__[name]


def _inside(group: click.Group, above: list[str]) -> click.Group:
    """The group a command belongs to, made on first use."""
    for name in above:
        found = group.commands.get(name)
        if not isinstance(found, click.Group):
            found = click.Group(name, help=GROUPS[name])
            group.add_command(found)
        group = found
    return group


def register(group: click.Group) -> None:
    """Adds a command for every operation that has none written by hand, and the servers."""
    for operation in OPERATIONS:
        if operation.name not in BY_HAND:
            *above, _ = command_path(operation)
            _inside(group, above).add_command(OperationCommand(operation))
    for made in (mcp_command, serve_command, open_command, hook_command, shell_command):
        group.add_command(made.command())
    group.add_command(plugins_command())
    group.add_command(bench_command())
    attach(group)


WORDS = 8
WARM = 3


def _run(session: Session, cues: int) -> None:
    from palazzo.operations.call import call
    from palazzo.operations.caller import Caller

    with session.engine() as engine:
        started = time.perf_counter()
        page = call(engine, Caller(), "list", {"limit": cues})
        listed_ms = (time.perf_counter() - started) * 1000
        asked = [" ".join(memory.text.split()[:WORDS]) for memory in page]
        for cue in asked[:WARM]:
            call(engine, Caller(), "recall", {"cue": cue})
        found, took = 0, []
        for cue, memory in zip(asked, page, strict=True):
            started = time.perf_counter()
            reply = call(engine, Caller(), "recall", {"cue": cue})
            took.append((time.perf_counter() - started) * 1000)
            found += any(hit.memory.id == memory.id for hit in reply)
        status = call(engine, Caller(), "status", {})
    took.sort()
    told: dict[str, Any] = {"memories": status.memories, "cues": len(took), "list_ms": round(listed_ms, 2)}
    if took:
        told |= {
            "recall_p50_ms": round(took[len(took) // 2], 2), "recall_p95_ms": round(took[len(took) * 95 // 100], 2),
            "recall_max_ms": round(took[-1], 2), "found_in_ten": round(found / len(took), 3),
        }  # fmt: skip
    session.show(
        told, lambda made: click.echo("\n".join(f"{name.replace('_', ' '):16} {v}" for name, v in made.items()))
    )


def bench_command() -> click.Command:
    """The command `palazzo bench`."""
    return click.Command(
        "bench", callback=click.pass_obj(_run), short_help="Measure how fast this palace answers.",
        params=[
            click.Option(
                ["--cues"], type=click.IntRange(1, 1000), default=100, metavar="N", help="How many cues. [default: 100]"
            )
        ],
        help="Measure how fast this palace answers on this machine: the first words of its newest memories are asked"
        " for, one after the other, and it is counted how often the memory itself is among the ten found.",
    )  # fmt: skip


def _list_plugins(session: Session, check: bool) -> None:
    from palazzo.bootstrap.parts import installed_plugins

    found = [asdict(one) for one in installed_plugins(check=check)]
    session.show({"plugins": found}, _render_plugins)


def _render_plugins(told: dict[str, Any]) -> None:
    from palazzo.surfaces.cli.sheet import line, sheet, table

    console = sheet()
    if not told["plugins"]:
        line(console, "no plugins are installed; docs/plugins.md says how one is made")
        return
    rows = (
        (p["kind"], p["name"], f"{p['package']} {p['version']}", p["fault"] or p["target"]) for p in told["plugins"]
    )
    table(console, ("kind", "name", "package", "what it is"), rows)


def plugins_command() -> click.Command:
    """The command `palazzo plugins`."""
    return click.Command(
        "plugins", callback=click.pass_obj(_list_plugins), short_help="List the parts that other packages bring.",
        params=[click.Option(["--check"], is_flag=True, help="Load each, and say what is wrong with those that fail.")],
        help="List the embedders, completers, rerankers, importers, context providers and parts of snapshots of other"
        " packages. Nothing of them runs unless --check is given.",
    )  # fmt: skip


SECTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("Begin", "init demo open"),
    (
        "Remember and recall",
        "remember recall context observe remember-many get list update forget restore keep kinds kind-add reason"
        " evolution feedback mind mind-hold mind-clear anticipate models places layout overview activity facts trail"
        " contexts move tag untag tags bundle members entities entity merge-entities split-entity",
    ),
    ("Where it comes from", "why history explain origin events relate unrelate walk path impact"),
    (
        "What is believed",
        "as-of holds revise expand contract revert deprecate undeprecate inbox settle review staleness recheck resolve"
        " outcome signal propose draw-claims claims claim-report preview decide retract claim-mode register product",
    ),
    ("While nobody asks", "dream dreams dream-apply prune gaps gap-ask gap-mute knows unfold summaries"),
    ("A running session", "chat-add chat-get chat-clear"),
    ("Between agents", "publish subscribe unsubscribe subscriptions deliver"),
    ("Agents and programs", "serve mcp hook plugins"),
    ("Work that goes on", "thread session sessions handoff turn checkpoint warm-start bridge compacted attach receipts"
        " receipt-check observe-attachment identity snapshot restart store-execution proof-check providers"
        " hook-report metabolism inquiries contemplate crystallise standing dynamics proposals proposal-decide"
        " bundle-make bundle-approve bundle-export"),
    (
        "When memory may shape action",
        "govern lease leases lease-decide lease-end outcome-report outcomes mature maturations mature-decide",
    ),
    ("What is done on the machine", "capture raw-events shell"),
    ("Who may do what", "grant revoke grants scopes token audit vault seal pause resume plan apply rollback plans"),
    ("Erase for good", "purge burn forget-user"),
    (
        "Look after the palace",
        "status doctor health settings setting-put jobs run cancel undo verify upkeep rebuild recover reindex backup"
        " restore-backup copy spaces space-retire export import encrypt decrypt rotate bench",
    ),
)  # fmt: skip

AFTERWORD: Final = """\b
First steps:
  palazzo init
  palazzo remember "Deploys happen on Tuesdays."
  palazzo recall "when do we deploy?"
  palazzo mcp config claude-code

\b
Environment:
  PALAZZO_PALACE and one variable for every other setting: see docs/settings.md.

\b
Exit codes:
  0  well
  1  a check found something
  2  the call was at fault, or the palace cannot be used

`palazzo COMMAND --help` tells the rest; docs/cli.md has all of it on one page, and how the shell completes commands."""


def write(group: click.Group, context: click.Context, page: click.HelpFormatter) -> None:
    """Writes the commands of a group below their headings; those that have none come last."""
    placed = {name for _, names in SECTIONS for name in names.split()}
    more = " ".join(sorted(set(group.commands) - placed))
    for title, names in (*SECTIONS, *([("More", more)] if more else [])):
        rows = []
        for name in names.split():
            command = group.get_command(context, name)
            if command is not None:
                rows.append((name, command.get_short_help_str(limit=200)))
        with page.section(title):
            page.write_dl(rows, col_max=16)


EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "init": ("palazzo init", "palazzo --palace ~/work-palace init --encrypted", "palazzo init --keyring"),
    "demo": ("palazzo demo",),
    "remember": (
        'palazzo remember "Deploys happen on Tuesdays."',
        'palazzo remember "Ada prefers tea." --place life.people --kind preference --user-id ada',
        "palazzo remember - --verbatim --metadata '{\"source\": \"email\"}' < note.txt",
    ),
    "observe": ("palazzo observe talk.jsonl", "tail -n 50 talk.jsonl | palazzo observe"),
    "recall": (
        'palazzo recall "when do we deploy?"',
        'palazzo recall "who moved to Porto" --place life --limit 3',
        'palazzo --json recall "what did we believe" --as-of 2026-03-01',
    ),
    "context": ('palazzo context "plan the release" --budget-tokens 1500',),
    "list": ("palazzo list --place work --limit 20", "palazzo list --state forgotten"),
    "get": ("palazzo get work.projects/release-day.fact",),
    "update": ('palazzo update work.projects/release-day.fact "Deploys happen on Wednesdays."',),
    "forget": ("palazzo forget work.projects/release-day.fact", "palazzo list --state forgotten"),
    "history": ("palazzo history work.projects/release-day.fact",),
    "why": ("palazzo why work.projects/release-day.fact",),
    "review": ("palazzo review",),
    "revise": ('palazzo revise "The Heron server listens on port 9090."',),
    "grant": (
        "palazzo grant mcp:desk read_public --place work.**", "palazzo grants --subject mcp:desk",
        "palazzo revoke mcp:desk --place work.**",
    ),
    "export": ("palazzo export palace.jsonl", "palazzo export notes --format markdown", "palazzo export all.sealed"),
    "import": (
        "palazzo import conversations.json --dry-run", "palazzo import notes --format notes",
        "palazzo import palace.jsonl",
    ),
    "doctor": ("palazzo doctor",),
    "jobs": ("palazzo jobs",),
    "run": ("palazzo run sweep --dry-run", "palazzo run due"),
    "dream": ("palazzo dream --dry-run", "palazzo dream --only consolidate", "palazzo dreams"),
    "knows": ('palazzo knows "the launch of Heron"',),
    "unfold": ("palazzo overview --level 2", "palazzo unfold d-1f0c2a9b3e"),
    "summaries": ("palazzo summaries --level week", 'palazzo summaries --text "kitchen floor"'),
    "undo": ("palazzo undo sweep", "palazzo undo sweep --since 2026-03-01"),
    "bench": ("palazzo bench", "palazzo bench --cues 500"),
    "copy": ("palazzo copy ~/palace /mnt/disc/palace", "palazzo copy ~/palace ~/sealed --encrypted"),
    "serve": ("palazzo serve",),
    "open": ("palazzo open", "palazzo open --print"),
    "mcp": ("palazzo mcp", "palazzo mcp --toolset memory-server", "palazzo mcp config claude-desktop --write"),
    "hook": ("palazzo hook config", "palazzo hook session-start < input.json"),
    "plugins": ("palazzo plugins --check",),
}  # fmt: skip


def lines(name: str) -> tuple[str, ...]:
    """The examples of a command; none for most."""
    return EXAMPLES.get(name, ())


def attach(group: click.Group) -> None:
    """Puts the examples below the help of each command."""
    for name, command in group.commands.items():
        if found := lines(name):
            command.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in found)
