"""CREATE TABLE and its parts, checked."""
