"""A small learned reader of texts and pairs of texts: one encoder, and a judgement for each question asked of it."""
