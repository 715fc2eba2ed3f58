"""The ways in: thin, without logic of their own."""
