"""The palace as a whole, walked through: see `spec`."""
