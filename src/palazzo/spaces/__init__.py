"""Named embedding spaces: embed, fill, switch."""
