"""Tables with one row a step: where they come from, what their cells mean, how they are filled."""
