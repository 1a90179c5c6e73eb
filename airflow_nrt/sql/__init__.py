"""Flink SQL text to a plan: no Airflow, no Spark, standard library only."""
