"""Operators whose result is never complete: they emit the changes of each batch."""
