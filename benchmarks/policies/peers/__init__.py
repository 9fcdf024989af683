"""d3rlpy's discrete learners, trained in an environment of their own."""
