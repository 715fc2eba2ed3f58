"""Benchmarks: what Palazzo claims, measured. Each module is a command; `--json` prints one object."""
