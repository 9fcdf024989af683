"""Updates of a compiled model, against compiling anew."""
