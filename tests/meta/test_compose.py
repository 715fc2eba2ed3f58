"""The compose files say what they mean: services and volumes they name are there, and no secret is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: pip install pyyaml")


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml"])
def test_a_compose_file_names_what_is_there(root: Path, name: str) -> None:
    told = yaml.safe_load((root / "packaging" / name).read_text("utf-8"))
    services, volumes = told["services"], told.get("volumes") or {}
    for service in services.values():
        assert ("image" in service) != ("build" in service)
        assert set(service.get("depends_on", {})) <= set(services)
        named = [volume.partition(":")[0] for volume in service.get("volumes", [])]
        assert all(volume in volumes for volume in named if not volume.startswith((".", "/")))
        if "build" in service:
            assert (root / "packaging" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        for key, value in (service.get("environment") or {}).items():
            assert "PASSWORD" not in key or value.startswith("${"), "a secret comes from outside"
    assert all(port.startswith("127.0.0.1:") for service in services.values() for port in service.get("ports", []))
