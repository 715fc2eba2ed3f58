"""Guard: who may do what, what they are shown, what is written down about it, and what may shape action."""
