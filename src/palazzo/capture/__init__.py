"""What happens around the conversation, as far as its owner lets it be seen: the gate comes before the capture."""
