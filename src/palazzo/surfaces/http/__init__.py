"""HTTP under /v1."""
