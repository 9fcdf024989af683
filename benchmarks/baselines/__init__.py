"""Our offline DQN and BCQ against d3rlpy's."""
