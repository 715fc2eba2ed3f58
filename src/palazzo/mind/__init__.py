"""What happens while nobody asks: one file per background pass."""
