"""How quickly the studio answers: `python -m benchmarks.studio`."""
