"""Importers: one reader for each foreign format, from a path to a stream of entries."""
