"""Acting on observations that were never seen."""
