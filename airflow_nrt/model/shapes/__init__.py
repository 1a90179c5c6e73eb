"""Shapes of options: what a text is made of, and what the value of a placeholder may be in each of its parts."""
