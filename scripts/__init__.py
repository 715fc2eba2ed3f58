"""Commands for those who work on Mnemon; nothing here is installed."""
