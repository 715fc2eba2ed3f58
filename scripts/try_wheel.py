"""Tries what `make dist` made, as people install it: pip, `uv tool install` and pipx, each into an empty place.

`python -m scripts.try_wheel` (`make try`) needs the package index, as people do. It remembers and recalls with each,
counts packages and bytes, and ends with 1 when something is not as docs/install.md says.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_PACKAGES, MOST_MB = 25, 120
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel")


def _run(*command: str | Path, **beside: str) -> str:
    index = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "HTTP", "NO_P"))}
    environment = {**index, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "UV_SYSTEM_CERTS": "1", **beside}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _remembers(program: Path, home: Path) -> None:
    """Whether a program that was installed keeps something and finds it."""
    beside = {"HOME": str(home), "PALAZZO_PALACE": str(home / "palace")}
    _run(program, "init", **beside)
    _run(program, "remember", "The ferry leaves at nine.", **beside)
    if "nine" not in _run(program, "recall", "when does the ferry leave?", **beside):
        raise SystemExit(f"{program} does not remember")
    _run(program, "doctor", **beside)


def _size(site: Path) -> tuple[int, float]:
    """How many packages there are, and how many megabytes without bytecode."""
    own = [path for path in site.iterdir() if not path.name.startswith(NOT_OURS)]
    files = [file for path in own for file in ([path] if path.is_file() else path.rglob("*"))]
    used = sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    return len([path for path in own if path.suffix == ".dist-info"]), used / 1e6


def main() -> int:
    """Tries every way; the exit code."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        home = {"HOME": made}
        venv.create(place / "venv", with_pip=True)
        _run(place / "venv/bin/pip", "install", "--quiet", wheel, **home)
        _remembers(place / "venv/bin/palazzo", place / "by-pip")
        (site,) = (place / "venv/lib").glob("python*/site-packages")
        packages, megabytes = _size(site)
        sys.stdout.write(f"pip: {packages} packages, {megabytes:.1f} MB\n")
        for name, command in (("uv", ("uv", "tool", "install")), ("pipx", ("pipx", "install"))):
            if find_spec(name) is None:
                sys.stdout.write(f"{name}: not installed here (pip install --group packaging)\n")
                continue
            at = {"UV_TOOL_DIR": made + "/uv", "UV_TOOL_BIN_DIR": made + "/uv-bin", "UV_CACHE_DIR": made + "/cache",
                  "PIPX_HOME": made + "/pipx", "PIPX_BIN_DIR": made + "/pipx-bin"}  # fmt: skip
            _run(sys.executable, "-m", *command, f"palazzo[mcp,server] @ {wheel.as_uri()}", **home, **at)
            _remembers(place / f"{name}-bin" / "palazzo", place / f"by-{name}")
            sys.stdout.write(f"{name}: remembers\n")
    return int(packages > MOST_PACKAGES or megabytes > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
