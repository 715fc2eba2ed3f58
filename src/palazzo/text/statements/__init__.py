"""From sentences to statements that read alone: clauses, who "I" is, and what is worth keeping."""
