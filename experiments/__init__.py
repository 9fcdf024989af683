"""Studies that reproduce the paper, with public names only."""
