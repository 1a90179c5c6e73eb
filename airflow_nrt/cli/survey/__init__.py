"""`airflow-nrt check DIR`: what of a directory of Flink scripts and PyFlink programs runs here, and what does not."""
