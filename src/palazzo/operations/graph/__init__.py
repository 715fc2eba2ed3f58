"""How memories hang together."""
