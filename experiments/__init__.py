<<<<<<< HEAD
"""Experiments: what the papers and the README claim, as commands."""
=======
"""Studies that reproduce the paper, with public names only."""
>>>>>>> fa5ee05289f2416ced267a709942119cac65fe13
