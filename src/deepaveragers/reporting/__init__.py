"""A plan as one page for people who decide about it."""
