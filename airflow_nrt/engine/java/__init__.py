"""Java for Spark: finding it, its options, and classes that run in it."""
