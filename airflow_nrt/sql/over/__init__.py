"""OVER: rankings and aggregates of the rows around a row."""
