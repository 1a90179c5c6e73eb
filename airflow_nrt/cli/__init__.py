"""The command line `airflow-nrt`: one file a command."""
