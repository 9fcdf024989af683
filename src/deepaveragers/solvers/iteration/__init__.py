"""Policy iteration as the planner does it; `loop` first."""
