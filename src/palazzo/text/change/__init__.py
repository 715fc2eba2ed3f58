"""Whether a newer statement takes an older one back. `contradiction` is the way in."""
