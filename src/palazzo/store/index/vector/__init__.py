"""The vector index: 1-bit codes in lists, re-scored exactly."""
