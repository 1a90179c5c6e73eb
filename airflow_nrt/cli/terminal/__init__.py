"""Output for a person at a terminal: colours, a line that is redrawn, a stream as it runs."""
