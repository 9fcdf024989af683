"""Other servers around the same policy."""
