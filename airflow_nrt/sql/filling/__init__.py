"""Placeholders of a script, filled with the values of settings."""
