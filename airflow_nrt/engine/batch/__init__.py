"""The batch driver: the same operators, once over all rows."""
