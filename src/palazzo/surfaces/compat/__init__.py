"""Faces that answer as other memories do."""
