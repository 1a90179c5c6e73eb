"""Queries without windows, whose results change."""
