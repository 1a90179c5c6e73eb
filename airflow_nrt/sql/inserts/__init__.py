"""INSERT: the values that it writes, their order, and the timing of results."""
