"""A running conversation: working memory, momentum, minds."""
