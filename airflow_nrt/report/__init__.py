"""A report as text and as facts: no Airflow, no Spark, standard library only."""
