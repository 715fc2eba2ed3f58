"""What must not be kept, what may be kept behind a lock, and what tries to give orders."""
