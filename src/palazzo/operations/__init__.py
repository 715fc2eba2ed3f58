"""The registry: every operation declared once, and the one way to call them."""
