"""Who an agent is, how it may grow, and what it was handed."""
