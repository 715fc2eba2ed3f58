"""The dashboard: a page that the daemon serves, and who is signed in to it."""
