"""Edges, entities and provenance."""
