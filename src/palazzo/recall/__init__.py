"""From a cue to what matters: read the cue, gather, weigh, order, pack, and say why."""
