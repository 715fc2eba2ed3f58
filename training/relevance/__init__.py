"""Fitting the model behind `relevance` (src/palazzo/recall/rank/relevance.py)."""
