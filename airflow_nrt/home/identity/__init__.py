"""Whose a home is: what its report means, and whether another text means the same."""
