"""Notifiers: what says it to people."""
