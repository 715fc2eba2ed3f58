"""Atoms, claims, reviews, signals and trust."""
