"""Making an answer: hits with their reasons, packed and framed for a model."""
