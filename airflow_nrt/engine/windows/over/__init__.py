"""OVER: rows with aggregates of their frames."""
