"""Runs plans on Spark, in a driver that has neither Airflow nor other packages than pyspark's."""
