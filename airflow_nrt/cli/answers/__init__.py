"""What commands ask of a report (`launch/asking.py`), answered in the process that may import it."""
