"""The text index: postings in blobs, scored by BM25."""
