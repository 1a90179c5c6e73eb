"""Connectors of a lakehouse: one commit of the table for each log entry, in the order of the log."""
