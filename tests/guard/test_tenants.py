"""The cross-tenant run of bench.security, at a size for the suite: no reader learns of what is not theirs.

The run is driven by the registry: an operation or a gatherer that it does not ask fails here.
"""

from __future__ import annotations

import inspect

from bench import tenants, tenants_cases
from palazzo.operations.registry import OPERATIONS
from palazzo.recall.find import gather


def test_every_operation_of_the_registry_is_asked_for_what_belongs_to_somebody_else() -> None:
    assert set(tenants_cases.CASES) == {declared.name for declared in OPERATIONS}
    for declared in OPERATIONS:
        asked = (tenants_cases.READS, tenants_cases.WRITES, tenants_cases.TAKES, tenants_cases.OPERATORS)
        reads, writes, takes, operators = (declared.name in part for part in asked)
        assert operators == declared.operator_only, declared.name
        assert reads == (not declared.writes and not declared.operator_only), declared.name
        assert writes + takes == (declared.writes and not declared.operator_only), declared.name


def test_every_gatherer_is_asked_by_name() -> None:
    used = inspect.getsource(tenants.gatherers)
    assert [name for name in vars(gather) if name.startswith("by_") and name not in used] == []


def test_no_scoped_reader_learns_of_another_tenants_memories() -> None:
    result = tenants.tenants(400, 6, compared=1)
    assert result["leaks"] == 0, result["first"]
    assert result["answers"] > 100
    assert set(result["asked"]) >= {declared.name for declared in OPERATIONS}


def test_the_run_would_notice_a_leak() -> None:
    own, none = frozenset({"zq000000aaaaaa"}), frozenset[str]()
    foreign = "01977890-0000-7000-8000-000000000000"
    assert tenants.leaked('{"text": "zq000001bbbbbb lake"}', "", own, none, none)
    assert tenants.leaked('{"text": "ZQ000001BBBBBB lake"}', "", own, none, none)
    assert not tenants.leaked('{"text": "zq000000aaaaaa lake"}', "", own, none, none)
    assert not tenants.leaked('{"text": "zq000001bbbbbb lake"}', "zq000001bbbbbb", own, none, none)
    assert tenants.leaked(foreign, "", own, none, frozenset({foreign}))
