"""Belief: what is held true, since when and why; revision with proofs, provenance, staleness, claims, trust."""
