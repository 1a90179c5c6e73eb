"""Connectors that rows come from."""
