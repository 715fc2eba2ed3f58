"""Capture of what is done on the machine: what may be seen, what was, and what came of it."""
