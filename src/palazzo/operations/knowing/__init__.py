"""What the palace knows about itself."""
