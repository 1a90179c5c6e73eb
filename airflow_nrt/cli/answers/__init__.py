"""Answers to the questions of commands about a report (`launch/asking.py`), in the process that may import it."""
