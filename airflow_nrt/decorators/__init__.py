"""Tasks whose report is written inline, in the DAG file."""
