"""Identity files."""
