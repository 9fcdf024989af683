"""The paper's computation figure: seconds of a first run, and of each further objective."""
