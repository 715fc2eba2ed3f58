"""What the palace knows about itself, and what it thinks about while nobody asks."""
