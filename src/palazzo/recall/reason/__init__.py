"""Questions of several steps, and how knowledge of a topic changed."""
