"""How a stream task supervises the one driver of a home."""
