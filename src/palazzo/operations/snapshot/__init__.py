"""Workspaces as they stood: taken, shown, compared, brought back, shared."""
