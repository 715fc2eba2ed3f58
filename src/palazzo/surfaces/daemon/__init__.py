"""The process that serves a palace."""
