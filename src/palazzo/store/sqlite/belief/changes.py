"""Which function applies which change of the belief room; joined to the dispatch in apply.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from palazzo.model import belief as b
from palazzo.store.sqlite.belief import beliefs, claims, reviews, signals
from palazzo.store.sqlite.writing import SqliteWriting

APPLY: dict[type, Callable[[SqliteWriting, Any], None]] = {
    b.Displace: beliefs.displace,
    b.Release: beliefs.release,
    b.ExpectHeld: beliefs.expect,
    b.RecordAudit: reviews.record_audit,
    b.ResolveAudit: reviews.resolve_audit,
    b.RecordOutcome: reviews.record_outcome,
    b.AddClaim: claims.add,
    b.DecideClaim: claims.decide,
    b.SetClaimMode: claims.set_mode,
    b.AddSignals: signals.add,
}
