"""Servers under load: rates and latencies beside peers, swaps, hostile requests, kills."""
