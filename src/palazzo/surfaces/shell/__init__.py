"""Hooks for shells and git: what they print, and the small program that carries what they tell to the daemon."""
