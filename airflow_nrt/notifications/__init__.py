"""Notifiers: messages to people."""
