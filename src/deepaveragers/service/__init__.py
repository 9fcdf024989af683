"""Decisions over HTTP: deciding, explaining, hot swap, audit."""
