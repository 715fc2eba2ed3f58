"""What was said last in a session, and what agents tell each other."""
