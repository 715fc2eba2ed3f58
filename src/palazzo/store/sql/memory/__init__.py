"""Memories, their revisions, tags, turns and how they are found."""
