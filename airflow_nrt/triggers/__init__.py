"""Triggers, which watch homes in the triggerer: none decides from the absence of an answer."""

EARLIEST_SECONDS = 10.0
"""A deferral that resumes sooner than this may be recorded as failed, because the scheduler still receives events of
its first phase."""
