"""Tables in, decisions out: scoring files of any size."""
