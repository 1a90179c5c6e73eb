"""What watches homes in the triggerer: no trigger decides from the absence of an answer."""

EARLIEST_SECONDS = 10.0
"""A deferral that resumes sooner than this may be booked as failed: the scheduler still hears of its first phase."""
