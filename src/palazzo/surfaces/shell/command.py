"""`palazzo shell`: prints the hook that a shell or a repository runs.

Owns what is written into the hooks: paths alone, quoted. Nothing is installed: whoever wants it puts it into a startup
file.
"""

from __future__ import annotations

import pkgutil
import shlex
import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from palazzo.surfaces.cli.session import Session

FILES: Final = {"bash": "hook.bash", "zsh": "hook.zsh", "fish": "hook.fish", "git": "post-commit.sh"}
WHERE: Final = {
    "bash": 'eval "$(palazzo shell init bash)"  # at the end of ~/.bashrc',
    "zsh": 'eval "$(palazzo shell init zsh)"  # at the end of ~/.zshrc',
    "fish": "palazzo shell init fish | source  # at the end of ~/.config/fish/config.fish",
    "git": "palazzo shell init git > .git/hooks/post-commit && chmod +x .git/hooks/post-commit",
}


def _quoted(text: str, shell: str) -> str:
    """A path as one word of a shell."""
    if shell == "fish":
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return shlex.quote(text)


def hook(palace: str, shell: str) -> str:
    """The hook of a shell for a palace."""
    from palazzo.bootstrap import load_settings, palace_folder, socket_path
    from palazzo.bootstrap.parts import runtime_folder
    from palazzo.capture import spool
    from palazzo.surfaces.shell import send

    settings = load_settings({"palace": palace} if palace else None)
    folder = palace_folder(settings).resolve()
    runtime = runtime_folder(folder)
    text = (pkgutil.get_data("palazzo.surfaces.shell", FILES[shell]) or b"").decode()
    words = {
        "@GATE@": runtime / "shell.open", "@GIT@": runtime / "git.open", "@PYTHON@": sys.executable,
        "@SEND@": send.__file__, "@SOCKET@": socket_path(settings), "@SPOOL@": runtime / spool.FILE,
        "@PALACE@": folder,
    }  # fmt: skip
    for mark, path in words.items():
        text = text.replace(mark, _quoted(str(path), shell))
    return text


def _init(session: Session, shell: str) -> None:
    if sys.stdout.isatty():
        click.echo(f"# {WHERE[shell]}", err=True)
        click.echo("# then `palazzo capture enable " + ("git`" if shell == "git" else "shell`"), err=True)
    sys.stdout.write(hook(session.palace or "", shell))


def command() -> click.Group:
    """The group `palazzo shell`."""
    group = click.Group("shell", help="Hooks for bash, zsh, fish and git.")
    told = "\n\n".join(WHERE.values())
    group.add_command(
        click.Command(
            "init", callback=click.pass_obj(_init), short_help="Print the hook of a shell, or of a git repository.",
            params=[click.Argument(["shell"], type=click.Choice(tuple(FILES)))],
            help="Print the hook that tells what was run, with folder, exit code and duration; for git, what was"
            f" committed. It does nothing until `palazzo capture enable`. Put it to use with\n\n{told}",
        )
    )  # fmt: skip
    return group
