"""Reading memories."""
