"""The state between micro-batches: partials in files that the log refers to."""
