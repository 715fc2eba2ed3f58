"""What ranking asks of every candidate, in memory."""
