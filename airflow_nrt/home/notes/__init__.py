"""Notes of a home for people. None of them decides what a report publishes."""
