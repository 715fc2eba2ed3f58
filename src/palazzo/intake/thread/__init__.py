"""What a message means beside what was said before it: requests to forget, corrections, pronouns, short answers."""
