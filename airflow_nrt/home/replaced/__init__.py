"""Versions of windows: the rows that restatements have replaced, for some days, and those that a person has set."""
