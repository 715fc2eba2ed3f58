"""Commands for those who work on Palazzo; nothing here is installed."""
