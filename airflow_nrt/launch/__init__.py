"""Launching a driver so that it outlives the process that launched it, and so that a home never gets two."""
