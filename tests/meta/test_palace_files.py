"""One module opens files that could be a palace's: anything else drops SQLite's locks when it closes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

READER = "palazzo.files.raw_files"
CONNECTORS = frozenset({"palazzo.store.sqlite.connection", "palazzo.files.sqlite_files"})
OTHERS = {
    "palazzo.adapters.wordllama_embedder": "files of a model",
    "palazzo.adapters.key_file": "key.json",
    "palazzo.adapters.local_embedder": "files of a model",
    "palazzo.adapters.model_files": "files of a model",
    "palazzo.bootstrap.parts": "the table of models",
    "palazzo.porting.markdown_archive": "pages it makes itself, which were not there before",
    "palazzo.archive": "its own lines",
    "palazzo.operations.port.run": "a draft it makes itself, which was not there before",
    "palazzo.surfaces.cli.typed": "what somebody wrote for a command",
    "palazzo.surfaces.client_files": "the configuration of another program",
    "palazzo.surfaces.hooks.run": "its own marks",
    "palazzo.surfaces.daemon.serve": "its own lock",
    "palazzo.files.forks": "empty files that are locks and nothing else",
    "palazzo.testing.postgres": "what the server of the tests says",
    "palazzo.surfaces.shell.send": "its own spool: it loads nothing of Palazzo",
    "palazzo.store.sqlite.held_locks": "what the system says of this process",
    "palazzo.capture.snapshots.around": "what the system says of processes",
}
"""Who else opens files, and which: none of them can be a palace's. Shorten it, never lengthen it."""

OPENING = frozenset({
    "open", "os.open", "io.open", "io.FileIO", "os.fdopen", "codecs.open", "gzip.open", "tarfile.open", "wave.open",
    "mmap.mmap", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "np.memmap",
    "np.fromfile", "np.load", "apsw.VFSFile", "sqlite3.connect",
})  # fmt: skip
METHODS = frozenset({"read_bytes", "read_text", "write_bytes", "write_text"})
MODES = frozenset("rwxab+t")


def openings(tree: ast.AST) -> Iterator[int]:
    """Lines that open a file by its path."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("mmap", "sqlite3"):
            yield node.lineno
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        mode = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "mode"), None)
        moded = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) <= MODES
        if name in OPENING or last in METHODS or (last == "open" and (moded or not node.args)):
            yield node.lineno


def connections(tree: ast.AST) -> Iterator[int]:
    """Lines that open a file as a database."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "apsw.Connection":
            yield node.lineno


def test_files_that_could_be_a_palaces_are_opened_in_one_place(package: dict[str, ast.Module]) -> None:
    found = {module: list(openings(tree)) for module, tree in package.items()}
    strays = {module: lines for module, lines in found.items() if lines and module not in (READER, *OTHERS)}
    assert not strays, f"read through {READER}: {strays}"
    idle = sorted(module for module in OTHERS if not found.get(module))
    assert not idle, f"no longer needed in OTHERS: {idle}"
    assert found[READER], "the check no longer sees the one that does"


def test_databases_are_opened_where_their_locks_are_watched(package: dict[str, ast.Module]) -> None:
    found = {module for module, tree in package.items() if list(connections(tree))}
    assert found == CONNECTORS


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("open(path)", True),
        ("path.open('rb')", True),
        ("path.open(mode='rb')", True),
        ("path.open()", True),
        ("(folder / 'palace.db').read_bytes()", True),
        ("os.open(path, os.O_RDONLY)", True),
        ("shutil.copyfile(path, copy)", True),
        ("mmap.mmap(handle, 0)", True),
        ("from mmap import mmap", True),
        ("sqlite3.connect(path)", True),
        ("Store.open(folder, clock)", False),
        ("cipher.open(sealed, owner)", False),
        ("raw_files.reading(path)", False),
    ],
)
def test_the_check_knows_an_opened_file(line: str, *, seen: bool) -> None:
    assert bool(list(openings(ast.parse(line)))) is seen
