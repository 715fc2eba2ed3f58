"""Making memories go."""
