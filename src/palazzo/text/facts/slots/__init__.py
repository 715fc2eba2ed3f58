"""Slots: whose attribute has which value, read by one frame per way of saying it. `find` is the way in."""
