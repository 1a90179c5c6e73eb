"""Near-real-time reports in Flink SQL on Spark, supervised, backfilled and verified by Airflow."""

__version__ = "0.1.0"
