"""Queries without windows: their results change."""
