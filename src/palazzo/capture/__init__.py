"""What happens around the conversation: the room, not only the chat."""
