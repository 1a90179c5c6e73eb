"""Launching a driver so that it outlives whoever launched it, and so that a home never gets two."""
