"""The append-only journal of what was told."""
