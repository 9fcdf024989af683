"""Bundles on disk: plain arrays and a manifest, written atomically."""
