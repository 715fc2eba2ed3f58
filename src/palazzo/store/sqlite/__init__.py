"""The embedded engine: one palace in one SQLite file."""
