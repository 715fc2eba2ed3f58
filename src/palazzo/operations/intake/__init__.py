"""Taking text in."""
