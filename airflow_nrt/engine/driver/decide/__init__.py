"""Decisions of a stream: which actions follow an event, and the position after them. Neither Spark nor files."""
