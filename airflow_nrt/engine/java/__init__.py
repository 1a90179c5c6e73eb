"""Java for Spark: which one, and what is set in it."""
