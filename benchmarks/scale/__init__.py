"""How compiling and planning grow with the data, measured here and calculated for clusters."""
