"""Planning: from an objective to certified values."""
