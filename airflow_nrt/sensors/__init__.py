"""Tasks that wait for reports."""
