"""Planted faults: each is a realistic bug, and some test of the suite has to find it (README.md)."""
