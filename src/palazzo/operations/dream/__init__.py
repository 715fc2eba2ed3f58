"""What the palace thinks about while nobody asks."""
