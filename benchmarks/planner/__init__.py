"""How fast plans are, beside other solvers, on the same MDPs in the same run."""
