"""Finding candidates: each branch asks one index."""
