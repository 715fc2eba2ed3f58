"""Capture: what comes from the machine rather than from a conversation."""
