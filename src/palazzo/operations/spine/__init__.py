"""When a record may shape action."""
