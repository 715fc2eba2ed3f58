"""From text to changes: ten stages, each a function over a batch of drafts, and the pipeline that runs them."""
