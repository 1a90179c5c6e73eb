"""Defaults of a command line: from variables, or from a file `airflow_nrt.toml`."""
