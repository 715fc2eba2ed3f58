"""The palace as a whole."""
