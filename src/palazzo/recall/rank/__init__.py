"""Ranking candidates: signals, weights, fusion, diversity."""
