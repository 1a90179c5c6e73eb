"""Retention: old entries of the log go, and what is left of them is the checkpoint at the floor."""
