"""Expressions with Flink's meaning, checked against the names around them, as Spark SQL."""
