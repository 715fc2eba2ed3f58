"""Texts that give orders to the reader instead of telling something. `find` is the way in."""
