"""Tasks that run, reproduce, prove and stop reports."""
