"""Operators whose result is never complete: of each batch they give what it changes."""
