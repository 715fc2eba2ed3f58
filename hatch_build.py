"""Builds the compiled kernel (src/palazzo/kernel) as the package is installed, where there is a C compiler, and puts the
pages of words beside their TOML as JSON, which is read in a twentieth of the time: a command reads some forty.

Without one, or where it fails, the package is installed all the same and works in numpy: the build says so, and
`palazzo doctor` tells which of the two is in use. `python hatch_build.py` builds it in place, with further flags for
the compiler behind it. One build serves every Python from 3.11 on.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by itself
    BuildHookInterface = object

PACKAGE = Path(__file__).parent / "src" / "palazzo"
FOLDER = PACKAGE / "kernel"
MADE = FOLDER / "native.abi3.so"
FLAGS = ["-std=gnu11", "-O3", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden"]


def command(further: list[str]) -> list[str]:
    """What is run to build it: the compiler that is named, or the one this Python was made with."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]
    shared = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    headers = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    sources = sorted(str(path) for path in FOLDER.glob("*.c"))
    return [
        *compiler,
        *FLAGS,
        *shared,
        *(f"-I{one}" for one in sorted(headers)),
        *further,
        *sources,
        "-o",
        str(MADE),
        "-lm",
    ]


def built(further: list[str]) -> str:
    """Builds it; returns why that could not be done, or nothing."""
    MADE.unlink(missing_ok=True)
    if sys.platform == "win32":
        return "it is not built on Windows"
    try:
        ran = subprocess.run(command(further), capture_output=True, text=True, check=False)
    except OSError as error:
        return f"no C compiler: {error}"
    if ran.returncode != 0:
        MADE.unlink(missing_ok=True)
        return next((line for line in ran.stderr.splitlines() if "error" in line), "the compiler failed")
    return ""


def pages(made: Path) -> dict[str, str]:
    """Every page of words as JSON in a folder, and where in the wheel each goes."""
    found = {}
    for page in sorted((PACKAGE / "text" / "data").glob("*/*.toml")):
        inside = page.relative_to(PACKAGE.parent).with_suffix(".json")
        target = made / "-".join(inside.parts)
        target.write_text(json.dumps(tomllib.loads(page.read_text("utf-8")), ensure_ascii=False), "utf-8")
        found[str(target)] = inside.as_posix()
    return found


class KernelHook(BuildHookInterface):  # type: ignore[misc,valid-type]
    """What hatchling calls before it packs a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the kernel into the wheel, which is then one for this kind of machine, and adds the pages."""
        if version != "editable":
            self._made = tempfile.TemporaryDirectory()
            build_data["force_include"] |= pages(Path(self._made.name))
        if why := built([]):
            self.app.display_warning(f"the compiled kernel was not built ({why}); Palazzo works without it, slower")
            return
        build_data["artifacts"].append("src/palazzo/kernel/native.abi3.so")
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"


if __name__ == "__main__":
    if why := built(sys.argv[1:]):
        sys.exit(f"the compiled kernel was not built: {why}")
