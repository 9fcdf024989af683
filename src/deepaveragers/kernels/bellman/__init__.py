"""The Bellman operator and its solvers, on arrays: `reference` is the specification."""
