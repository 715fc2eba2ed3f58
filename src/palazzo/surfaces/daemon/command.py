"""`palazzo serve`: the command that runs the daemon.

Owns the options. Loads the server only when it runs. Invariant: nothing is printed on standard output.
"""

from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palazzo.errors import InvalidInput, StorageError
from palazzo.files import extras
from palazzo.surfaces.mcp.command import TOOLSETS

LOG_LEVELS = ("debug", "info", "warning", "error")

if TYPE_CHECKING:
    from collections.abc import Callable

    from palazzo.engine import Engine
    from palazzo.surfaces.cli.session import Session


def need_server() -> None:
    """Raises: PartUnavailable where the extra `server` is not installed."""
    extras.need("uvicorn", "server", "the server is not installed")


def run_daemon(session: Session, given: dict[str, Any], told: Callable[[Engine, str], None] | None = None) -> None:
    """Runs a daemon with these options until a signal ends it; `told` hears of its address once it listens.

    Raises: PartUnavailable, InvalidInput, PalaceBusy.
    """
    log_level, workers = given.pop("log_level"), given.pop("workers", 1)
    bounds = {name: given.pop(name) for name in ("threads", "max_request_mb", "max_held_mb", "patience")}
    need_server()
    gc.set_threshold(1_000, 2_000, 20)  # it lives long; and no look at what is new takes longer than a recall
    if bool(given["tls_cert"]) != bool(given["tls_key"]):
        raise InvalidInput("a certificate and its key come together", field="tls_key")
    if given["dbus"] and workers > 1:
        raise InvalidInput("one process stands on the session bus", field="dbus", hint="leave out --workers or --dbus")
    import asyncio

    from palazzo.bootstrap import palace_folder, socket_path
    from palazzo.surfaces.cli.session import ask
    from palazzo.surfaces.daemon.serve import ServePlan, only_one, serve
    from palazzo.surfaces.daemon.service import DaemonLimits, Service, identify, set_up_log
    from palazzo.surfaces.http.messages import check_bind
    from palazzo.surfaces.library import open_palace

    settings = session.settings()
    plan = ServePlan(socket=socket_path(settings), **given)
    check_bind(plan.host, tls=bool(plan.tls_cert), insecure=plan.insecure)
    asked_once = cache(ask)  # every worker opens the palace with what was typed once
    engine = open_palace(settings, create=True, ask=asked_once)
    reads_only = engine.store.read_only
    limits = DaemonLimits(
        threads=bounds["threads"], request_bytes=bounds["max_request_mb"] << 20,
        held_bytes=bounds["max_held_mb"] << 20, patience_s=bounds["patience"],
    )  # fmt: skip

    async def run(listens: Callable[[str], None]) -> None:
        def ready(url: str) -> None:
            listens(url)
            if told is not None:
                told(engine, url)

        service = Service(engine, identify(engine), limits)
        try:
            await serve(service, plan, ready)
        finally:
            service.close()

    with engine, only_one(palace_folder(settings), reads_only=reads_only) as listens:
        set_up_log(log_level)
        if workers == 1:
            asyncio.run(run(listens))
            return
        from palazzo.surfaces.daemon.workers import Shift, serve_with

        engine.close()  # whoever forks has no palace open
        serve_with(workers, Shift(settings, plan, limits, asked_once, reads_only), listens)


def _serve(session: Session, install: bool, **given: Any) -> None:
    if not install:
        run_daemon(session, given)
        return
    from palazzo.surfaces.daemon import units

    words = ["--port", str(given["port"]), "--host", given["host"], "--toolset", given["toolset"]]
    words += ["--workers", str(given["workers"])] if given["workers"] > 1 else []
    words += ["--dbus"] if given["dbus"] else []
    unit = units.unit_for(units.command_words(session.palace, words), sys.platform, Path.home())
    try:
        units.install(unit)
    except OSError as error:
        raise StorageError(f"the unit cannot be written: {error.strerror}") from error
    click.echo(f"palazzo: {unit.path} is written; start it with `{unit.start}`, end it with `{unit.stop}`", err=True)


def options() -> list[click.Option]:
    """The options of a daemon."""

    def option(name: str, told: str, **more: Any) -> click.Option:
        return click.Option(name.split(), help=told, **more)

    return [
        option("--host", "The address to listen on.", default="127.0.0.1", metavar="ADDRESS"),
        option("--port", "The port; 0 takes a free one.", default=7777, type=click.IntRange(0, 65535), metavar="N"),
        option("--tls-cert", "A certificate (PEM), for HTTPS.", default="", metavar="FILE"),
        option("--tls-key", "Its private key (PEM).", default="", metavar="FILE"),
        option("--insecure", "Listen beyond this machine without TLS.", is_flag=True),
        option("--allow-host hosts", "A further name of this server. May be repeated.", multiple=True, metavar="NAME"),
        option(
            "--allow-origin origins", "An origin whose pages may call. May be repeated.", multiple=True,
            metavar="ORIGIN",
        ),
        option("--toolset", "Tools of MCP clients; see `palazzo mcp`.", type=click.Choice(TOOLSETS), default="core"),
        option("--dbus", "Stand on the session bus too, as ai.palazzo.Memory1.", is_flag=True),
        option("--threads", "Calls worked on at once.", default=4, type=click.IntRange(1, 64), metavar="N"),
        option("--max-request-mb", "The largest request taken.", default=8, type=click.IntRange(1, 1024), metavar="N"),
        option(
            "--max-held-mb", "The most that requests on their way may take together.", default=64,
            type=click.IntRange(1, 65536), metavar="N",
        ),
        option(
            "--patience", "Seconds a client may take to send its headers, and again its body.", default=30.0,
            type=click.FloatRange(0.05, 3600), metavar="SECONDS",
        ),
        option("--log-level", "How much is logged.", type=click.Choice(LOG_LEVELS), default="info"),
    ]  # fmt: skip


def command() -> click.Command:
    """The command `palazzo serve`."""
    return click.Command(
        "serve",
        params=[
            *options(),
            click.Option(
                ["--workers"], default=1, type=click.IntRange(1, 64), metavar="N",
                help="Processes that serve the palace together; more than one uses as many cores.",
            ),
            click.Option(
                ["--install"], is_flag=True,
                help="Write a service unit (systemd, launchd) for this user and say how it is started; nothing runs.",
            ),
        ], callback=click.pass_obj(_serve),
        short_help="Serve the palace: dashboard, HTTP, a Unix socket and MCP.",
        help="Serve the palace until SIGTERM or SIGINT: the dashboard at /, HTTP at /v1, MCP at /mcp, and a Unix socket"
        " that the other commands use while it runs. Logs are JSON lines on standard error. See docs/serve.md.",
    )  # fmt: skip
