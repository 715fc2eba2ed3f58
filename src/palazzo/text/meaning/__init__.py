"""What a statement is for: its kind, its topics, how it feels, what it answers and when it will matter."""
