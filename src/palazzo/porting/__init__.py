"""Import and export: every format, both ways."""
