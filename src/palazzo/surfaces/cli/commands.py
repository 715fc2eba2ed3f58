"""The command line. Every command takes --json; on a terminal people get tables and progress bars.

Owns arguments, rendering and exit codes; what the commands do lives below. Exit codes: 0 well, 1 a check found
something, 2 the call was at fault or the palace cannot be used.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, TextIO

import click

from palazzo import __version__
from palazzo.errors import PalazzoError, StorageError
from palazzo.operations.registry import ALIASES
from palazzo.surfaces.cli.operations import AFTERWORD, register, write
from palazzo.surfaces.cli.session import Session, ask, progress_bar, run_watched

OTHER_NAMES = {other.replace("_", "-"): name for other, name in ALIASES.items()}


class Coded(click.Group):
    """Turns our errors into one line on stderr (JSON with --json) and exit code 2; knows other names of commands, and
    its own options wherever they stand on the line.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads --json, --palace and --vault before the command, behind it or between its words."""
        return super().parse_args(ctx, _own_first(args))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of its own name, of one people know from elsewhere (add for remember), or of its operation's."""
        found = super().get_command(ctx, cmd_name) or super().get_command(ctx, OTHER_NAMES.get(cmd_name, ""))
        return found or self._of_operation(cmd_name.replace("_", "-"))

    def _of_operation(self, name: str) -> click.Command | None:
        """The command of an operation by the operation's own name: token_list is `token list`."""
        first, _, rest = name.partition("-")
        group = self.commands.get(first)
        return group.commands.get(rest) if isinstance(group, click.Group) else self.commands.get(name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what one wants to do, not by the alphabet."""
        write(self, ctx, formatter)

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except click.UsageError as error:
            if not _as_json(context):
                raise
            called = error.ctx.command_path if error.ctx else "palazzo"
            told = {"error": "invalid_input", "message": error.format_message(), "hint": f"see `{called} --help`"}
            click.echo(json.dumps(told), err=True)
            context.exit(2)
        except PalazzoError as error:
            told = {"error": error.code, "message": error.message, "hint": error.hint}
            click.echo(json.dumps(told) if _as_json(context) else f"palazzo: {error}", err=True)
            context.exit(2)


def _own_first(args: list[str]) -> list[str]:
    """The words of a line with the options of every command first; what comes after -- stays where it is."""
    own: list[str] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        if word == "--":
            return [*own, *rest, word, *words]
        if word in ("--json", "--vault") or word.startswith("--palace="):
            own.append(word)
        elif word == "--palace":
            own += [word, *([value] if (value := next(words, None)) is not None else [])]
        else:
            rest.append(word)
    return own + rest


def _as_json(context: click.Context) -> bool:
    return context.obj.as_json if isinstance(context.obj, Session) else bool(context.params.get("as_json"))


def _tell_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        plain = f"palazzo, version {__version__}"
        click.echo(json.dumps({"version": __version__}) if context.params.get("as_json") else plain)
        context.exit()


@click.group(
    cls=Coded,
    epilog=AFTERWORD,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--palace",
    metavar="FOLDER",
    help="The palace: a folder, or postgresql://... (else PALAZZO_PALACE, else the data folder).",
)
@click.option("--json", "as_json", is_flag=True, is_eager=True, help="One JSON value on stdout.")
@click.option("--vault", is_flag=True, help="Ask for the vault's passphrase and open the vault for this command.")
@click.option(
    "--version", is_flag=True, expose_value=False, callback=_tell_version, help="Show the version and exit."
)  # fmt: skip
@click.pass_context
def main(context: click.Context, palace: str | None, as_json: bool, vault: bool) -> None:
    """The memory of an AI agent: verbatim, versioned, sourced, yours.

    add, search, get-all, delete and traverse are other names of remember, recall, list, forget and walk.
    """
    context.obj = Session(palace, as_json)
    context.obj.vault = vault


def _lines(result: dict[str, Any]) -> None:
    for name, value in result.items():
        click.echo(f"{name.replace('_', ' '):20} {_said(value)}")


def _said(value: Any) -> str:
    """A value in words: lists by commas, what has names with its names."""
    if isinstance(value, dict):
        return " ".join(f"{name} {_said(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return str(value)


FOUND = (
    ".bash_history", ".zsh_history", ".local/share/fish/fish_history", ".local/share/atuin/history.db",
)  # fmt: skip


def found_on_machine(home: Path) -> list[Path]:
    """Histories that are there and could be taken in; only whether a file is there is looked at."""
    return [home / one for one in FOUND if (home / one).is_file()]


@main.command()
@click.argument("palace", required=False, default=None)
@click.option("--encrypted", is_flag=True, help="Encrypt the whole file; asks for a passphrase.")
@click.option("--fields", is_flag=True, help="Seal sensitive and confidential texts only; the file itself stays plain.")
@click.option("--keyring", is_flag=True, help="Keep the key in the system keyring instead of a passphrase.")
@click.pass_obj
def init(session: Session, palace: str | None, encrypted: bool, fields: bool, keyring: bool) -> None:
    """Make a palace: in the folder --palace names, or PALACE, a folder or postgresql://USER@HOST/DATABASE?palace=NAME."""
    from palazzo.bootstrap import create_engine

    given: dict[str, Any] = {"keyring": True} if keyring else {}
    settings = session.settings(**given, **({"palace": palace} if palace else {}))
    whole = encrypted or (keyring and not fields)
    try:
        made = create_engine(settings, encrypted=whole, fields=fields, ask=ask)
    except OSError as error:
        where = error.filename or settings["palace"]
        raise StorageError(f"no palace can be made in {where}: {error.strerror}", hint="name another folder") from error
    with made as engine:
        result: dict[str, Any] = {"palace": engine.store.label, "id": str(engine.store.id), "encrypted": whole}
    result["found"] = [str(path) for path in found_on_machine(Path.home())]

    def told(made: dict[str, Any]) -> None:
        click.echo(f"made a palace in {made['palace']}")
        if made["found"]:
            click.echo("found on this machine, and left alone; to take one in:")
        for path in made["found"]:
            click.echo(f"  palazzo import {shlex.quote(path)} --dry-run")

    session.show(result, told)


@main.command()
@click.argument("file", type=click.File("r", encoding="utf-8"), default="-")
@click.option("--batch", default=500, type=click.IntRange(1, 10_000), help="Turns per transaction.")
@click.pass_obj
def observe(session: Session, file: TextIO, batch: int) -> None:
    """Take in a conversation: FILE (- or nothing: standard input) has one turn per line, as JSON.

    A turn has `text` (or `content`, as chat programs write it) and may have `speaker`, `addressee`, `role`, `at` (RFC
    3339), `thread`, `session`, `scope`.
    """
    from palazzo.surfaces.turns import read_turns

    totals: dict[str, int] = {}
    degraded: set[str] = set()
    with session.calls() as call:
        for given in read_turns(file, batch):
            kept = call("observe", given)
            degraded.update(kept.degraded)
            for fate in (fate for account in kept.accounts for fate in account.fates):
                totals[fate.outcome] = totals.get(fate.outcome, 0) + 1
            totals["turns"] = totals.get("turns", 0) + len(given["turns"])
    session.show({"turns": 0, **totals, "degraded": sorted(degraded)}, _lines)


@main.command()
@click.pass_obj
def status(session: Session) -> None:
    """Say what is in the palace."""
    from palazzo.operations.arguments import as_plain

    session.show(as_plain(session.call("status", {})), _lines)


@main.command()
@click.pass_obj
def doctor(session: Session) -> None:
    """Look at the whole palace and say what to do."""
    from palazzo.operations.arguments import as_plain

    result = as_plain(session.call("doctor", {}))
    session.show(result, _render_findings)
    sys.exit(0 if result["well"] else 1)


def _render_findings(result: dict[str, Any]) -> None:
    from palazzo.surfaces.cli.sheet import sheet

    rows = [[finding[name] for name in ("check", "level", "detail", "advice")] for finding in result["findings"]]
    sheet().table(("check", "", "found", "what to do"), rows)


@main.command()
@click.pass_obj
def verify(session: Session) -> None:
    """Compare every index, tag and chain with the truth and name the differences."""
    from palazzo.operations.arguments import as_plain

    with session.engine() as engine:
        result = as_plain(run_watched(session, engine, "verify", {}))
    session.show(result, lambda r: click.echo("\n".join(r["problems"]) or "clean"))
    sys.exit(0 if result["clean"] else 1)


@main.command()
@click.pass_obj
def rebuild(session: Session) -> None:
    """Make the text and vector indexes again from what is stored."""

    with session.engine() as engine, progress_bar(session, "rebuild") as progress:
        engine.store.care.rebuild(progress)
        problems = engine.store.care.verify()
    session.show(
        {"clean": not problems, "problems": problems}, lambda r: click.echo("\n".join(r["problems"]) or "rebuilt")
    )
    sys.exit(1 if problems else 0)


@main.command()
@click.option(
    "--from-archive", "target", required=True, metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False),
    help="Where the new palace is made; the old one stays as it is.",
)  # fmt: skip
@click.pass_obj
def reindex(session: Session, target: Path) -> None:
    """Make a new palace from everything that was told, as the archive has it."""
    from msgspec.structs import asdict

    from palazzo.bootstrap import rebuild_from_archive

    session.show(asdict(rebuild_from_archive(session.settings(), target, ask=ask)), _lines)


def _tell_recovered(session: Session, made: Any) -> None:
    from msgspec.structs import asdict

    session.show(asdict(made), lambda r: click.echo("\n".join([*r["steps"], *_kept(r["kept"])])))
    sys.exit(0 if made.state == "whole" else 1)


def _kept(where: str) -> list[str]:
    return [f"the file that was replaced is kept: {where}"] if where else []


@main.command()
@click.pass_obj
def recover(session: Session) -> None:
    """Make a damaged palace whole: by its indexes, a copy of its file, the newest backup, or the archive.

    The first way that leads to a whole palace is taken; the file that is replaced is kept. Nobody else may have it
    open.
    """
    from palazzo.bootstrap.recovering import recover_palace

    with progress_bar(session, "recover"):
        made = recover_palace(session.settings(), ask=ask)
    _tell_recovered(session, made)


@main.command("restore-backup")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.pass_obj
def restore_backup(session: Session, file: Path | None) -> None:
    """Put a backup in the place of the palace file: FILE, or the newest one beside the palace that is whole.

    What was told since is told again from the archive; the file that is replaced is kept. Nobody else may have it open.
    """
    from palazzo.bootstrap.recovering import restore_backup as restored

    with progress_bar(session, "restore"):
        made = restored(session.settings(), file, ask=ask)
    _tell_recovered(session, made)


TENDED = ("upkeep", "backfill", "understand", "look", "settle", "audits")
"""The jobs that change no memory's state, in the order they run."""
LEFT = {"understanding": "understand", "looking": "look", "settling": "settle", "audits": "audits"}


@main.command()
@click.pass_obj
def upkeep(session: Session) -> None:
    """Merge index tails, fill in missing vectors, understand and settle what batches told, look at what may have
    changed, now."""
    with session.engine() as engine, progress_bar(session, "upkeep") as progress:
        made = {name: engine.jobs.run(name, "operator", 1000, progress=progress) for name in TENDED}
    told: dict[str, Any] = {}
    for run in made.values():
        told |= run.report.counts
    told |= {f"{what}_left": made[job].report.more for what, job in LEFT.items()}
    notes = [note for run in made.values() for note in (*run.report.notes, run.error) if note]
    busy = [name for name, run in made.items() if run.state == "busy"]
    told |= ({"degraded": "; ".join(notes)} if notes else {}) | ({"busy": ", ".join(busy)} if busy else {})
    session.show(told, _lines)
    sys.exit(1 if any(run.state == "failed" for run in made.values()) else 0)


def _tell_converted(session: Session, result: dict[str, Any], left: tuple[str, ...], done: str) -> None:
    """Says what was done and which lines of the archive stayed as they were; ends with 1 when there are any."""
    told: dict[str, Any] = {**result, "unreadable": list(left)}
    if left:
        told["next"] = (
            "lines of the archive that nobody can read stay as they are; `palazzo burn --unreadable` removes them"
        )
    session.show(told, lambda r: click.echo("\n".join([done, *r["unreadable"], r.get("next", "")]).rstrip()))
    sys.exit(1 if left else 0)


@main.command()
@click.option("--fields", is_flag=True, help="Seal sensitive and confidential texts only; the file itself stays plain.")
@click.option("--keyring", is_flag=True, help="Keep the key in the system keyring instead of a passphrase.")
@click.pass_obj
def encrypt(session: Session, fields: bool, keyring: bool) -> None:
    """Encrypt a plain palace in place, or finish an encryption that was interrupted. Nobody else may have it open."""
    from palazzo.bootstrap import encrypt_palace, palace_folder, wants_passphrase

    given: dict[str, Any] = {"keyring": True} if keyring else {}
    settings = session.settings(**given)
    if not settings["passphrase"] and not settings["keyring"]:
        settings = session.settings(
            passphrase=ask("Passphrase: " if wants_passphrase(settings) else "New passphrase: ")
        )
    with progress_bar(session, "encrypt"):
        left = encrypt_palace(settings, fields=fields)
    _tell_converted(session, {"palace": str(palace_folder(settings)), "encrypted": True}, left, "encrypted")


@main.command()
@click.pass_obj
def rotate(session: Session) -> None:
    """Give an encrypted palace another key: file, sealed texts and archive. Nobody else may have it open.

    The new passphrase is asked for, or taken from PALAZZO_NEW_PASSPHRASE; without one the passphrase stays the same.
    """
    from palazzo.bootstrap import palace_folder, rotate_palace, wants_passphrase

    settings = session.settings()
    if wants_passphrase(settings):
        settings = session.settings(passphrase=ask("Passphrase: "), new_passphrase=ask("New passphrase: "))
    with progress_bar(session, "rotate"):
        left = rotate_palace(settings)
    _tell_converted(session, {"palace": str(palace_folder(settings)), "rotated": True}, left, "rotated")


@main.command()
@click.pass_obj
def decrypt(session: Session) -> None:
    """Turn an encrypted palace into a plain one in place. Nobody else may have it open."""
    from palazzo.bootstrap import decrypt_palace, palace_folder, wants_passphrase

    settings = session.settings()
    if wants_passphrase(settings):
        settings = session.settings(passphrase=ask("Passphrase: "))
    with progress_bar(session, "decrypt"):
        left = decrypt_palace(settings)
    _tell_converted(session, {"palace": str(palace_folder(settings)), "encrypted": False}, left, "decrypted")


@main.command()
@click.argument("source")
@click.argument("target")
@click.option("--encrypted", is_flag=True, help="Give the copy of a plain palace a key; the new passphrase is asked.")
@click.pass_obj
def copy(session: Session, source: str, target: str, encrypted: bool) -> None:
    """Copy the palace SOURCE to TARGET, whole, and compare the two row by row.

    The source is only read; others may use it meanwhile. After an interruption the same command goes on. A copy of an
    encrypted palace has the same key. See docs/scale.md.
    """
    from msgspec.structs import asdict

    from palazzo.bootstrap import copy_palace

    with progress_bar(session, "copy") as progress:
        settings = session.settings(palace=source)
        made = copy_palace(settings, target, encrypted=encrypted, ask=ask, progress=progress)
    session.show(asdict(made) | {"source": source, "target": target}, _lines)


@main.command()
@click.option("--keep", metavar="FOLDER", help="Leave the palace in this new folder, to go on with it.")
@click.pass_obj
def demo(session: Session, keep: str | None) -> None:
    """Show in a minute what a palace does, in a temporary folder."""
    from palazzo.surfaces.cli.demo import run

    session.show({"scenes": run(session.as_json, Path(keep) if keep else None)}, lambda _: None)


register(main)

if __name__ == "__main__":
    main()
