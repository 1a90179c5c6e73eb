"""The identity of a home: what its report means, and whether another text means the same."""
