"""Workspaces as they stood: taking a snapshot, comparing two, and bringing one back; a module for each program."""
