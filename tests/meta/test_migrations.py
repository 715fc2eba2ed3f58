"""Migrations are numbered in order, each name once: a file records names, and order is the order of names."""

from __future__ import annotations

import re

from palazzo.store.sql.migrations import MIGRATIONS


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    numbers = [int(m[1]) if (m := re.fullmatch(r"(\d{4})_[a-z0-9_]+", x.name)) else None for x in MIGRATIONS]
    assert numbers == list(range(1, len(MIGRATIONS) + 1)), [x.name for x in MIGRATIONS]


def test_migration_names_are_unique_and_sorted() -> None:
    names = [migration.name for migration in MIGRATIONS]
    assert names == sorted(set(names))
