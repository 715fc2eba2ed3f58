"""Grants, tokens, rules and the audit chain."""
