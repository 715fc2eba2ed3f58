"""Threads, sessions and what is handed on between them."""
