"""The plan on Spark. Runs in a driver that has neither Airflow nor anything else but pyspark."""
