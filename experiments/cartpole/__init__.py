"""The paper's CartPole study: three bags, every sweep, and the ablation."""
