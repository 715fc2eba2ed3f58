"""Reading a cue: what is asked, by which preset, for which purpose and model."""
