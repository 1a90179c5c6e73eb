"""The home of a report: one directory with everything durable about it."""
