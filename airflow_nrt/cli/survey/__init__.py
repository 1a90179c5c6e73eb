"""`airflow-nrt check DIR`: the verdicts about the files of a directory, for a person."""
