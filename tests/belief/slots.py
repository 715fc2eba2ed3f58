"""The functional slots of a palace, as its belief base has them."""

from __future__ import annotations

from palazzo.belief.held import is_functional
from palazzo.belief.logic import Slot, literal_of
from palazzo.model.kinds import KindTable
from palazzo.store.api import MAX_ATOMS, Reading


def functional_slots(reading: Reading, kinds: KindTable) -> frozenset[Slot]:
    """The functional slots among all held atoms of a reader."""
    held = reading.beliefs.every(MAX_ATOMS)
    return frozenset(literal_of(row.atom).statement.slot for row in held if is_functional(row.atom, row.kind, kinds))
