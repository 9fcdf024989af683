"""The Bellman operator on a GPU."""
