"""The peers of the comparisons: each is one whole process that reads the same orders."""
