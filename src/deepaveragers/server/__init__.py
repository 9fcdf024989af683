"""What every HTTP server here shares: who may come in, limits, errors in words, running."""
