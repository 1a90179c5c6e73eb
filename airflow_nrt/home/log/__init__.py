"""The log of a home, the only truth about it, and what is folded from it."""
