"""What agents tell each other."""
