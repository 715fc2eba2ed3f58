"""What a statement says: slots with their values, figures, named things and the ties between them."""
