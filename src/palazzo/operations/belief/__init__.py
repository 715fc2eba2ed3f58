"""What is believed."""
