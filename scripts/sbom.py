"""What a wheel of Palazzo stands on: a bill of materials in CycloneDX's JSON, with versions and licences.

Owns the document. Reads the packages installed beside this interpreter, those the base install needs and no others.
Usage: python -m scripts.sbom FILE
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = "palazzo"
HERE = Path(__file__).parent.parent


def needed(name: str, seen: dict[str, Any] | None = None) -> dict[str, Any]:
    """The distributions a package needs without its extras, itself included, by name."""
    found = {} if seen is None else seen
    try:
        dist = distribution(name)
    except PackageNotFoundError:  # needed on another system or by another Python
        return found
    found[dist.metadata["Name"]] = dist
    # An editable install may be older than the file that says what is needed.
    own = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for asked in own if name == ROOT else dist.requires or []:
        other = re.match(r"[A-Za-z0-9._-]+", asked)
        if other and "extra ==" not in asked and other[0].lower() not in {one.lower() for one in found}:
            needed(other[0], found)
    return found


def _licence(meta: Any) -> str:
    classifiers = [line.rsplit(" :: ", 1)[1] for line in meta.get_all("Classifier") or [] if line.startswith("License ::")]
    return str(meta.get("License-Expression") or (classifiers or [(meta.get("License") or "unknown").splitlines()[0]])[0])


def document() -> dict[str, Any]:
    """The bill of materials."""
    parts = needed(ROOT)
    own = next(dist for name, dist in parts.items() if name.lower() == ROOT)
    beside = [
        {"type": "library", "name": name, "version": dist.version, "purl": f"pkg:pypi/{name.lower()}@{dist.version}",
         "licenses": [{"license": {"name": _licence(dist.metadata)}}]}
        for name, dist in sorted(parts.items()) if name.lower() != ROOT
    ]  # fmt: skip
    weights = {"type": "machine-learning-model", "name": "wordllama l2_supercat_256", "version": "0.4.0",
               "licenses": [{"license": {"id": "MIT"}}]}  # fmt: skip
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "library", "name": ROOT, "version": own.version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [*beside, weights],
    }  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(document(), indent=2) + "\n", "utf-8")
