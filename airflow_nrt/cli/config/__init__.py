"""What a command line leaves out: variables say it, or a file `airflow_nrt.toml`."""
