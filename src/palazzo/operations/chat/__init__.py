"""The last messages of a running session."""
