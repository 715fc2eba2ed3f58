"""The cross-tenant run of bench.security, at a size for the suite: no reader learns of what is not theirs."""

from __future__ import annotations

from bench import security


def test_no_scoped_reader_learns_of_another_tenants_memories() -> None:
    result = security.tenants(400, 6)
    assert result["leaks"] == 0, result["by"]
    assert result["answers"] > 100


def test_the_run_would_notice_a_leak() -> None:
    own = {"zq000000aaaaaa": None}
    assert security.leaked('{"text": "zq000001bbbbbb lake"}', {}, own, set())  # type: ignore[arg-type]
    assert not security.leaked('{"text": "zq000000aaaaaa lake"}', {}, own, set())  # type: ignore[arg-type]
    assert security.leaked('"01977890-0000-7000-8000-000000000000"', {}, own, set())  # type: ignore[arg-type]
