"""What a text is made of: characters, tokens, stems, sentences, forms of verbs, and how alike two texts are."""
