"""Connector `kafka`: the driver chooses the ranges of offsets that a batch reads, and the log lists them."""
